import type { StageContext } from '../../../src/suite/stage.js';
import { askJudge } from '../judge-model/ask-judge.js';
import { loadPrompt } from '../../../src/suite-kit/load-prompt.js';
import { coverageSettings } from '../settings.js';
import type { Assigned } from './assign.js';

/** Features in one question, and those among them whose place is wrong on purpose. */
const BATCH = 20;
const CONTROLS = 2;
/** Tokens of an answer: a number and a word a feature. */
const ANSWER_TOKENS = 600;

interface Placed {
  texts: readonly string[];
  vectors: readonly Float32Array[];
  names: readonly string[];
  leaves: readonly Float32Array[];
  assigned: Assigned;
  /** Part of the question's place: one candidate's plan and its code are judged in the same step. */
  evidence: string;
}

/** What a judge made of the clusters. `trusted`: it did not agree with most of what cannot be. */
export interface JudgedPlaces {
  assigned: Assigned;
  /** Places in the list of the features that it said something of; the others stay where they were. */
  answered: number[];
  trusted: boolean;
  controls: { asked: number; agreed: number; unread: number };
}

/**
 * The second half of the paper's method: a model looks at where each feature was put and moves what is wrong. Among the features of
 * each question are two at the leaf least like them; a judge that says YES to half of these or more is not believed, and its moves
 * are in no figure. Null where the campaign names no judge of coverage. What cannot be read leaves features where they were.
 */
export async function judgePlaces(context: StageContext, placed: Placed): Promise<JudgedPlaces | null> {
  const settings = coverageSettings(context.campaign.spec);
  if (settings === null) return null;
  const { texts, names, assigned } = placed;
  const result = [...assigned];
  const answered = new Set<number>();
  const controls = { asked: 0, agreed: 0, unread: 0 };
  const offset = placed.evidence.startsWith('plan') ? 0 : 100_000;
  for (let start = 0; start < texts.length; start += BATCH) {
    const rows = [...Array(Math.min(BATCH, texts.length - start)).keys()].map((at) => start + at);
    const wrong = rows.slice(0, CONTROLS).map((row) => ({ row, leaf: farthest(placed, row), isControl: true }));
    const asked = [...rows.map((row) => ({ row, leaf: assigned[row] ?? null, isControl: false })), ...wrong];
    // Controls stand where nobody can tell them by their place: in the order of their texts.
    asked.sort((a, b) => compare(texts[a.row], texts[b.row]) || Number(b.isControl) - Number(a.isControl));
    const lines = asked.map(({ row, leaf }, at) => `${at + 1}. ${oneLine(texts[row] ?? '')} -> ${nameOf(names, leaf)}`);
    const prompt = await loadPrompt(context.suiteFolder, 'coverage.v1', {
      ...{ leaves: names.map((name, at) => `L${at + 1} ${name}`).join('\n'), features: lines.join('\n') },
    });
    const question = {
      ...{ purpose: 'coverage', model: settings.model, ordinal: offset + start, prompt: prompt.id },
      ...{ messages: prompt.messages, maxOutputTokens: ANSWER_TOKENS },
    };
    const { read } = await askJudge(
      { ask: (one) => context.ask(one) },
      { question, read: (text) => readPlaces(text, asked.length, names.length) },
    );
    if (read === null) controls.unread += 1;
    for (const [at, { row, isControl }] of asked.entries()) {
      const said = read?.get(at + 1);
      if (isControl && said !== undefined) {
        controls.asked += 1;
        if (said === 'yes') controls.agreed += 1;
      } else if (!isControl && said !== undefined) {
        answered.add(row);
        if (said !== 'yes') result[row] = said;
      }
    }
    context.heartbeat();
  }
  const trusted = controls.asked > 0 && controls.agreed * 2 < controls.asked;
  const told = [...answered].sort((a, b) => a - b);
  return { assigned: trusted ? result : [...assigned], answered: told, trusted, controls };
}

/** `3: YES`, `4: L12`, `5: NONE`, a line each; null where fewer than half of them can be read. */
export function readPlaces(text: string, count: number, leaves: number): Map<number, 'yes' | number | null> | null {
  const found = new Map<number, 'yes' | number | null>();
  for (const [, number, word = ''] of text.matchAll(/^\W*(\d{1,3})\s*[.:)-]+\s*\W*(YES|NONE|L\d{1,3})\b/gim)) {
    const at = Number(number);
    const leaf = Number(word.slice(1));
    if (at < 1 || at > count) continue;
    if (/^yes$/i.test(word)) found.set(at, 'yes');
    else if (/^none$/i.test(word)) found.set(at, null);
    else if (leaf >= 1 && leaf <= leaves) found.set(at, leaf - 1);
  }
  return found.size * 2 < count ? null : found;
}

function farthest({ vectors, leaves }: Placed, row: number): number {
  const vector = vectors[row] ?? new Float32Array(0);
  const scores = leaves.map((leaf) => leaf.reduce((sum, value, at) => sum + value * (vector[at] ?? 0), 0));
  return scores.indexOf(Math.min(...scores));
}

const nameOf = (names: readonly string[], leaf: number | null): string =>
  leaf === null ? 'NONE' : `L${leaf + 1} ${names[leaf] ?? ''}`;
const oneLine = (text: string): string => text.replace(/\s+/g, ' ').slice(0, 200);
const compare = (a = '', b = ''): number => (a < b ? -1 : a > b ? 1 : 0);
