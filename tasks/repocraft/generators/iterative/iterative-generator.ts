import { z } from 'zod';
import { DomainFailure } from '../../../../src/domain/failure/domain-failure.js';
import type { StageContext } from '../../../../src/suite/stage.js';
import type { Tree } from '../../../../src/suite-kit/packed-files.js';
import { loadPrompt } from '../../../../src/suite-kit/load-prompt.js';
import { PLANNING_LIMITS, type Generator, type MadeCandidate } from '../generator.js';
import { purposeOf } from '../purposes.js';
import { fileAndFolder, readFiles } from '../../../../src/suite-kit/answer-files.js';
import { shownTree } from './shown-tree.js';

/** Rounds of the paper's setting for terminal agents, and rounds without a change that end it early. */
const settings = z.object({ iterations: z.number().default(30), patience: z.number().default(3) });

/**
 * The baseline without a plan: one conversation turn after the other asks what is missing or improvable, with the
 * repository as it is. It ends with the rounds, when nothing changes any more, or at its own limit.
 */
export const iterativeGenerator: Generator = {
  needsModel: true,
  needsPath: false,
  purposes: ['generate'],
  phase: 'generate',
  description: 'up to 30 rounds of "what is missing or improvable?" on one repository',
  provenance: 'generated',
  limits: PLANNING_LIMITS,
  options: ['iterations', 'patience', 'purpose'],
  make: async (context) => {
    const { iterations, patience } = settings.parse(context.system.options);
    const tree = new Map<string, Uint8Array>();
    const said: string[] = [];
    let inVain = 0;
    for (let round = 1; round <= iterations && inVain < patience; round += 1) {
      const end = await improve(context, tree, { round, rounds: iterations });
      if ('ends' in end) return made(tree, [...said, `round ${round}: ${end.ends}`]);
      inVain = end.changed > 0 ? 0 : inVain + 1;
      said.push(`round ${round}: ${end.changed > 0 ? `${end.changed} files` : end.note}`);
      context.heartbeat();
    }
    return made(tree, said);
  },
};

const made = (content: Tree, said: readonly string[]): MadeCandidate => ({ content, note: said.join('; ') });

/** What came of a round; `ends`: why there can be no further one, so that what is there is the candidate. */
type RoundEnd = { changed: number; note: string } | { ends: string };

/** Asks once and puts the files of the answer into the tree; an answer that cannot be used changes nothing. */
async function improve(
  context: StageContext,
  tree: Map<string, Uint8Array>,
  { round, rounds }: { round: number; rounds: number },
): Promise<RoundEnd> {
  const { title, text, dependencies } = purposeOf(context);
  const values = { title, purpose: text, dependencies: dependencies.join(', ') || 'nothing', tree: shownTree(tree) };
  const counts = { round: String(round), rounds: String(rounds) };
  const prompt = await loadPrompt(context.suiteFolder, 'iterative.v1', { ...values, ...counts });
  try {
    const question = { purpose: 'generate', ordinal: round, prompt: prompt.id, messages: prompt.messages };
    const { text: answer } = await context.ask(question);
    return put(tree, answer);
  } catch (error) {
    const type = error instanceof DomainFailure ? error.type : undefined;
    if (type === 'system.limit-reached') return { ends: 'its limit is reached' };
    // The prompt grows with the tree: what was made so far is worth more than nothing.
    if (type === 'model.context-length' && tree.size > 0) return { ends: 'the tree is too large for the model' };
    if (type === 'model.content-policy') return { changed: 0, note: 'refused by the provider' };
    throw error;
  }
}

function put(tree: Map<string, Uint8Array>, answer: string): RoundEnd {
  if (/^\W*nothing to do\W*$/i.test(answer.trim())) return { changed: 0, note: 'nothing to do' };
  const read = readFiles(answer);
  if ('reason' in read) return { changed: 0, note: read.reason };
  const paths = [...new Set([...tree.keys(), ...read.files.keys()])];
  const clash = fileAndFolder(paths);
  if (clash !== undefined) return { changed: 0, note: `${clash} would be a file and a folder at once` };
  const changed = [...read.files].filter(
    ([path, bytes]) => !Buffer.from(tree.get(path) ?? []).equals(bytes) || !tree.has(path),
  );
  for (const [path, bytes] of changed) tree.set(path, bytes);
  return { changed: changed.length, note: 'the files as they were' };
}
