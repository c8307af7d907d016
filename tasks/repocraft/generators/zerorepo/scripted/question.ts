import { z } from 'zod';

const header = z.object({ prompt: z.string(), of: z.string().optional(), try: z.number().optional() });

const method = z.object({ name: z.string(), signature: z.string(), docstring: z.string() });

/** An interface as a prompt shows it. */
export const briefSchema = z.object({
  id: z.string(),
  kind: z.enum(['function', 'class']),
  name: z.string(),
  import: z.string(),
  signature: z.string(),
  docstring: z.string(),
  methods: z.array(method).default([]),
});
export type Brief = z.infer<typeof briefSchema>;

/** A feature as a prompt shows it. */
export const featureSchema = z.object({
  id: z.string(),
  path: z.array(z.string()),
  description: z.string().default(''),
});
export type Feature = z.infer<typeof featureSchema>;

/** What a conversation asks: the first user message decides, a later one can only ask for the same again. */
export interface Question {
  prompt: string;
  input: unknown;
}

/** Reads a question of ZeroRepo; null when the conversation is about something else. */
export function readQuestion(messages: readonly { role: string; content: string }[]): Question | null {
  const first = messages.find(({ role }) => role === 'user')?.content ?? '';
  const line = /^@zerorepo (\{.*\})$/m.exec(first)?.[1];
  const fence = /```json\n([\s\S]*?)\n```/.exec(first)?.[1];
  if (line === undefined || fence === undefined) return null;
  try {
    return { prompt: header.parse(JSON.parse(line)).prompt, input: JSON.parse(fence) };
  } catch {
    return null;
  }
}
