import type { Json, JsonObject } from '../../contract/json.js';
import { parsedJson } from '../../domain/text/parsed-json.js';
import type { ModelAnswer } from '../../ports/model.js';
import { fencedBlocks } from '../../suite-kit/fenced-blocks.js';
import { cutMiddle, SAID } from './cut-middle.js';
import type { Action, Said } from './turns.js';

/** The tool that a block of shell in the text calls. */
export const BASH = 'bash';

/** What an answer asks for, or what is wrong with it: a sentence for the model. */
export type ReadAnswer = Said & { problem: string | null };

/**
 * Reads an answer: exactly one call of a tool, or, without any, exactly one fenced block `bash` in the text. What comes of an
 * answer that holds something else is the model's turn: `problem` says so to it, and nothing else is done.
 * @param tools names of those there are
 */
export function readAction({ text, raw }: Pick<ModelAnswer, 'text' | 'raw'>, tools: readonly string[]): ReadAnswer {
  const said = cutMiddle(text, SAID);
  const without = (problem: string): ReadAnswer => ({ text: said, action: null, problem });
  const { tool_calls: called } = raw ?? {};
  const calls = Array.isArray(called) ? called : [];
  if (calls.length > 1) return without(`It calls ${calls.length} tools. One action a turn.`);
  const read = calls.length === 1 ? readCall(calls[0] ?? null) : readBlock(text);
  if (typeof read === 'string') return without(read);
  if (!tools.includes(read.tool)) return without(`There is no tool ${shown(read.tool)}. Tools: ${tools.join(', ')}.`);
  return { text: said, action: read, problem: null };
}

function readCall(call: Json): Action | string {
  const { id, function: called } = objectOf(call) ?? {};
  const { name, arguments: given } = objectOf(called ?? null) ?? {};
  if (typeof name !== 'string') return 'It calls a tool without a name.';
  const input = typeof given === 'string' ? parsed(given) : objectOf(given ?? {});
  if (input === null) return `The arguments of ${shown(name)} are no JSON object.`;
  return { tool: name, input, callId: typeof id === 'string' && id !== '' ? id : 'call' };
}

function readBlock(text: string): Action | string {
  const blocks = [...fencedBlocks(text.split('\n'))].filter(({ info }) => /^(bash|sh|shell)$/.test(info));
  const [block] = blocks;
  if (block === undefined) return 'It holds no action. Call one tool, or give one fenced block `bash`.';
  if (blocks.length > 1) return `It holds ${blocks.length} blocks of shell. One action a turn.`;
  return { tool: BASH, input: { command: block.lines.join('\n') }, callId: null };
}

/** An empty one stands for no arguments. */
function parsed(text: string): JsonObject | null {
  return text.trim() === '' ? {} : objectOf(parsedJson(text) as Json | undefined);
}

function objectOf(value: Json | undefined): JsonObject | null {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? value : null;
}

const shown = (name: string): string => JSON.stringify(cutMiddle(name, { most: 60, kept: 25 }));
