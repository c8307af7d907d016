import type { Generator } from './generator.js';
import { agentGenerator } from './agent/agent-generator.js';
import { commandGenerator } from './command/command-generator.js';
import { derivedGenerator } from './derived/derived-generator.js';
import { goldGenerator } from './gold/gold-generator.js';
import { iterativeGenerator } from './iterative/iterative-generator.js';
import { nullGenerator } from './null/null-generator.js';
import { singlePromptGenerator } from './single-prompt/single-prompt-generator.js';
import { snapshotGenerator } from './snapshot/snapshot-generator.js';
import { zerorepoGenerator } from './zerorepo/zerorepo-generator.js';

/** Every way to make a candidate. Adding one = a folder beside these, and a line here. */
export const GENERATORS: Readonly<Record<string, Generator>> = {
  gold: goldGenerator,
  null: nullGenerator,
  snapshot: snapshotGenerator,
  'single-prompt': singlePromptGenerator,
  iterative: iterativeGenerator,
  zerorepo: zerorepoGenerator,
  derived: derivedGenerator,
  command: commandGenerator,
  agent: agentGenerator,
};
