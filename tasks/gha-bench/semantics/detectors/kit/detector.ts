import type { z } from 'zod';
import type { Semantics } from '../../model/model.js';
import type { Place } from '../../nodes/node.js';

/** How the executed layer can see it: as behaviour, by a shim or stub, in part, or not at all. */
type Execution = 'behaviour' | 'shim' | 'partly' | 'static';

export interface Finding {
  message: string;
  place?: Place;
}

interface Detection {
  feature: string;
  /** It is used somewhere. */
  present: boolean;
  /** It is used, and does what the task asked for. */
  correct: boolean;
  /** Where it is used. */
  evidence: Place[];
  /** Why it is not correct. */
  problems: Finding[];
}

export interface Detector {
  id: string;
  /** What `correct` asks, as one sentence. */
  asks: string;
  execution: Execution;
  params: z.ZodType;
  present: (semantics: Semantics) => Place[];
  detect: (semantics: Semantics, params: unknown) => Detection;
}

interface Definition<Params extends z.ZodType> {
  id: string;
  asks: string;
  execution: Execution;
  /** What a task says of the feature. */
  params: Params;
  present: (semantics: Semantics) => Place[];
  /** Nothing where it does what was asked; `undefined` entries are dropped. */
  problems: (semantics: Semantics, params: z.infer<Params>) => (Finding | undefined)[];
}

export function detector<Params extends z.ZodType>(definition: Definition<Params>): Detector {
  const { id, asks, execution, params, present, problems } = definition;
  const detect = (semantics: Semantics, given: unknown): Detection => {
    const evidence = present(semantics);
    if (evidence.length === 0) return { feature: id, present: false, correct: false, evidence, problems: [] };
    const found = problems(semantics, params.parse(given)).filter((finding) => finding !== undefined);
    return { feature: id, present: true, correct: found.length === 0, evidence, problems: found };
  };
  return { id, asks, execution, params, present, detect };
}

/** A finding where `wrong` holds. */
export function when(wrong: boolean, message: string, place?: Place): Finding | undefined {
  return wrong ? { message, ...(place ? { place } : {}) } : undefined;
}
