import type { ScriptedReply } from './model-rules.js';
import {
  completionDocument,
  completionEvents,
  completionId,
  type CompletionRequest,
  type ScriptedAnswer,
} from './scripted-completion.js';

/** Answers that a provider keeps for whoever asked with `store: true`. */
export interface StoredCompletions {
  /** Keeps what request n is answered with, from the moment on at which its last byte is due, heard by anybody or not. */
  keep(n: number, request: CompletionRequest, answered: { reply: ScriptedReply; answer: ScriptedAnswer }): void;
  /** The document of a completion by its id; undefined where none is kept, or not finished. */
  find(id: string): string | undefined;
}

/** Empty ones, by the given clock (milliseconds). */
export function createStoredCompletions(now: () => number): StoredCompletions {
  const kept = new Map<string, { document: string; readyAt: number }>();
  return {
    keep(n, request, { reply, answer }) {
      const isWhole = reply.status === undefined && reply.malformed === undefined;
      if (!request.store || !isWhole || reply.kept === false) return;
      const pauses = request.stream && reply.plain !== true ? completionEvents(n, request, reply, answer).length : 0;
      const readyAt = now() + (reply.delayMs ?? 0) + pauses * (reply.chunkDelayMs ?? 0);
      kept.set(completionId(n), { document: completionDocument(n, request, reply, answer), readyAt });
    },
    find(id) {
      const found = kept.get(id);
      return found !== undefined && found.readyAt <= now() ? found.document : undefined;
    },
  };
}
