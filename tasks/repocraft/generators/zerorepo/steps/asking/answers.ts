import { z } from 'zod';
import type { AnswerForm } from './read-answer.js';

/** Text of a model that is kept in the graph: one line of at most so many characters. */
const line = (most: number) => z.string().trim().min(1).max(most);
/** Entries of one list; no real answer comes near, and what judges them need not be quick with more. */
const MOST_ENTRIES = 1_000;
const list = <Item extends z.ZodType>(item: Item) => z.array(item).max(MOST_ENTRIES);
/** Python source of one symbol or one test file. */
const MOST_SOURCE = 200_000;
const source = z.string().min(1).max(MOST_SOURCE);
const featureId = z.string().regex(/^f\d+$/);
/** Identity of an interface: `<file>::<name>`. */
const interfaceId = z.string().regex(/^[^:]+::\w+$/);

const proposeAnswer = z.object({
  features: z
    .array(
      z.object({
        /** Area, subarea, …, leaf: 2 to 5 names from wide to narrow. */
        path: z.array(line(80)).min(2).max(5),
        description: line(400),
      }),
    )
    .max(200),
});

const checkAnswer = z.object({
  verdicts: list(z.object({ id: line(40), accept: z.boolean(), reason: z.string().max(400).default('') })),
});

const refactorAnswer = z.object({
  /** Modules to open, or to describe anew. */
  modules: z
    .array(z.object({ name: line(60), description: line(400) }))
    .max(12)
    .default([]),
  /** Feature → module. */
  assign: z.record(featureId, line(60)).default({}),
  /** Modules to dissolve: from → into. */
  merge: z.record(line(60), line(60)).default({}),
  /** Modules to rename: old → new. */
  rename: z.record(line(60), line(60)).default({}),
});

const layoutAnswer = z.object({
  /** Folder of the module inside the package: `tokenize`. */
  folder: z.string().regex(/^[a-z_][a-z0-9_]*$/),
  files: list(
    z.object({
      /** Relative to the package, inside the folder: `tokenize/words.py`. */
      path: z.string().max(150),
      description: line(400),
      features: list(featureId).min(1),
      /** Files of this module that this one builds on. */
      after: list(z.string().max(150)).default([]),
    }),
  ).min(1),
});

const dataFlowAnswer = z.object({
  edges: list(
    z.object({
      source: line(60),
      target: line(60),
      id: line(60),
      type: line(120),
      transformation: z.string().max(400).default(''),
    }),
  ),
});

const method = z.object({ name: z.string().max(80), signature: z.string().max(600), docstring: line(4000) });

const baseClassesAnswer = z.object({
  classes: z
    .array(
      z.object({
        name: z.string().max(80),
        /** Module whose folder it lives in. */
        module: line(60),
        docstring: line(4000),
        methods: z.array(method).max(30).default([]),
      }),
    )
    .max(3),
});

const interfacesAnswer = z.object({
  interfaces: list(
    z.object({
      kind: z.enum(['function', 'class']),
      name: z.string().max(80),
      /** Of a function: `(text: str, *, lower: bool = True) -> list[str]`. Of a class: that of `__init__`, or empty. */
      signature: z.string().max(600).default(''),
      docstring: line(4000),
      methods: z.array(method).max(40).default([]),
      features: list(featureId).min(1),
      /** Interfaces it calls. */
      invokes: list(interfaceId).default([]),
      /** Classes it derives from. */
      inherits: list(interfaceId).default([]),
    }),
  ).min(1),
});

const testsAnswer = z.object({ tests: list(z.object({ unit: interfaceId, source })).min(1) });

const codeAnswer = z.object({
  units: list(
    z.object({
      unit: interfaceId,
      /** Import statements where they do not stand in the source: `import re`. */
      imports: z.array(line(200)).max(40).default([]),
      /** Private functions, classes or constants where they do not: whole top-level statements, names starting with `_`. */
      helpers: z.string().max(100_000).default(''),
      /** The whole function or class, with its imports and helpers. */
      source,
    }),
  ).min(1),
});

const failureVoteAnswer = z.object({
  cause: z.enum(['test', 'code', 'environment']),
  reason: z.string().max(1000).default(''),
});

const localizeAnswer = z.object({
  tool: z.enum(['interfaces', 'code', 'feature', 'search', 'stop']),
  /** File path, interface id, feature id or words to search; symbols to edit for `stop`. */
  argument: z.string().max(300).default(''),
});

const repairAnswer = z.object({
  edits: list(
    z.object({
      kind: z.enum(['class', 'method', 'function', 'imports', 'assignment']),
      /** `name`, `Class.method`, name of a constant; empty for `imports`. */
      name: z.string().max(160).default(''),
      /** Empty only for `imports`, where none is left. */
      source: z.string().max(MOST_SOURCE),
    }),
  ).min(1),
});

/** What one reviewer says of a design that holds by rule. */
const reviewAnswer = z.object({ accept: z.boolean(), reason: z.string().max(1000).default('') });

const repairTestsAnswer = z.object({ source });
const integrationTestsAnswer = z.object({ source });
const endToEndTestAnswer = z.object({ source });
const readmeAnswer = z.object({ markdown: z.string().min(1).max(100_000) });

/** Whose model answers: keys of a system's `purposes`. */
export const MODEL_PURPOSES = ['planning', 'requirements', 'codegen', 'repair', 'vote'] as const;
type ModelPurpose = (typeof MODEL_PURPOSES)[number];

/** One prompt of the generator: which model it goes to, and what it is answered with. */
export interface PromptKind<Answer> {
  phase: 'propose' | 'refactor' | 'layout' | 'data-flow' | 'base-classes' | 'interfaces' | 'implement' | 'integrate';
  purpose: ModelPurpose;
  answer: z.ZodType<Answer>;
  /** How the answer is written down. */
  form: AnswerForm;
}

const kind = <Answer>(
  phase: PromptKind<Answer>['phase'],
  purpose: ModelPurpose,
  answer: z.ZodType<Answer>,
  form: AnswerForm = 'json',
): PromptKind<Answer> => ({ phase, purpose, answer, form });

/** Every prompt by the name of its file `prompts/<name>.v<N>.md`. */
export const PROMPTS = {
  propose: kind('propose', 'planning', proposeAnswer),
  check: kind('propose', 'planning', checkAnswer),
  refactor: kind('refactor', 'planning', refactorAnswer),
  layout: kind('layout', 'planning', layoutAnswer),
  'review-layout': kind('layout', 'vote', reviewAnswer),
  'data-flow': kind('data-flow', 'planning', dataFlowAnswer),
  'base-classes': kind('base-classes', 'requirements', baseClassesAnswer),
  interfaces: kind('interfaces', 'requirements', interfacesAnswer),
  'review-interfaces': kind('interfaces', 'vote', reviewAnswer),
  tests: kind('implement', 'codegen', testsAnswer, 'tests'),
  code: kind('implement', 'codegen', codeAnswer, 'units'),
  'failure-vote': kind('implement', 'vote', failureVoteAnswer),
  localize: kind('implement', 'repair', localizeAnswer),
  repair: kind('implement', 'repair', repairAnswer, 'edits'),
  'repair-tests': kind('implement', 'repair', repairTestsAnswer, 'source'),
  'integration-tests': kind('integrate', 'codegen', integrationTestsAnswer, 'source'),
  'end-to-end-test': kind('integrate', 'codegen', endToEndTestAnswer, 'source'),
  readme: kind('integrate', 'codegen', readmeAnswer, 'markdown'),
} as const;

/** Name of a prompt. */
export type PromptName = keyof typeof PROMPTS;

/** What a prompt is answered with. */
export type AnswerOf<Name extends PromptName> = z.output<(typeof PROMPTS)[Name]['answer']>;
