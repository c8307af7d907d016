import { tokenize } from '../../../src/suite-kit/tokenize.js';
import type { Answer } from './vote-rules.js';
import type { Ballot, Vote, Voter } from './voter.js';

/** Words that say nothing about which capability is meant. */
const EMPTY_WORDS = new Set(
  'a an and are as at be by class for from function has in into is it its method object of on or own self that the this to with when not expected behaviour area operations used works together checked over several values none true false return returns given'.split(
    ' ',
  ),
);

/** Share of the words of `words` that the description has, or null when there are none to compare. */
export function overlap(words: readonly string[], description: ReadonlySet<string>): number | null {
  const telling = [...new Set(words.filter((word) => !EMPTY_WORDS.has(word)).map(stem))];
  if (telling.length === 0) return null;
  return telling.filter((word) => description.has(word)).length / telling.length;
}

/** Plural and verb endings off, so that `cookies` meets `cookie` and `parsing` meets `parse`. Crude on purpose. */
function stem(word: string): string {
  if (word.length < 4) return word;
  return word
    .replace(/s$/, '')
    .replace(/(ing|ed|e)$/, '')
    .replace(/y$/, 'i');
}

/**
 * Votes by counting words, without a model. Three views take turns: the name, the documentation, the similarity of the
 * embeddings. Honest and weak: it cannot tell a stub from the real thing, nor see what code does.
 */
export const heuristicVoter: Voter = (ballot, { voter }) => {
  const views = [nameView, documentationView, similarityView];
  const view = views[(voter - 1) % views.length] ?? nameView;
  return Promise.resolve(view(ballot));
};

function nameView({ task, entry }: Ballot): Vote {
  const own = overlap(tokenize(entry.name), described(task.description));
  const withOwner = overlap(tokenize(entry.qualname), described(task.description));
  const share = Math.max(own ?? 0, withOwner ?? 0);
  return vote(share >= 0.99 ? 'yes' : share >= 0.5 ? 'partial' : 'no', 'name', share);
}

function documentationView({ task, entry }: Ballot): Vote {
  const words = [...tokenize(entry.doc), ...tokenize(entry.name)];
  const share = overlap(words, described(task.description)) ?? 0;
  return vote(share >= 0.5 ? 'yes' : share >= 0.25 ? 'partial' : 'no', 'documentation', share);
}

function similarityView({ similarity }: Ballot): Vote {
  return vote(similarity >= 0.5 ? 'yes' : similarity >= 0.35 ? 'partial' : 'no', 'similarity', similarity);
}

const described = (description: string): Set<string> => new Set(tokenize(description).map(stem));

const vote = (answer: Answer, view: string, share: number): Vote => ({
  answer,
  reason: `${view} overlap ${share.toFixed(2)}`,
  model: `heuristic.${view}`,
});
