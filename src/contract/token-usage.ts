/** Tokens of one call as the provider counted them. `inputTokens` includes the cached ones. */
export interface TokenUsage {
  inputTokens: number;
  cachedInputTokens: number;
  outputTokens: number;
}
