import type { TokenUsage } from '../../contract/token-usage.js';

/** Of an answer, what tells how it ended. */
interface Ended {
  text: string;
  finishReason: string;
  usage: TokenUsage | null;
}

/** How compatible endpoints say that an answer ended at its cap; OpenAI says `length`. */
const AT_ITS_CAP = /^(length|max_tokens|max_output_tokens|model_length)$/i;

/**
 * Whether an answer ended at its cap instead of its own end. An empty one that used the cap up is such, whatever its reason
 * says: some endpoints call thinking that left no room for an answer a `stop`.
 */
export function isCut({ text, finishReason, usage }: Ended, cap: number): boolean {
  return AT_ITS_CAP.test(finishReason) || (text.trim() === '' && (usage?.outputTokens ?? 0) >= cap);
}
