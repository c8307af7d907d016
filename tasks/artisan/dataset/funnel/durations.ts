import { judged, type Criterion } from './judgement.js';
import type { Sentence } from './source-lines.js';
import type { Place } from './study-record.js';

/** The published criterion: a study is reproduced in less than eight hours. */
const MOST_SECONDS = 8 * 3600;

const UNIT_SECONDS: readonly (readonly [RegExp, number])[] = [
  [/^s(ec(ond)?s?)?$/i, 1],
  [/^min(ute)?s?$/i, 60],
  [/^h((ou)?rs?)?$/i, 3600],
  [/^days?$/i, 86_400],
  [/^weeks?$/i, 7 * 86_400],
  [/^months?$/i, 30 * 86_400],
];

/** Words for numbers; "a few" and "several" are taken at what they are at most in such a place. */
const NUMBERS: Readonly<Record<string, number>> = {
  ...{ a: 1, an: 1, one: 1, two: 2, three: 3, four: 4, five: 5, six: 6, seven: 7, eight: 8, nine: 9, ten: 10 },
  ...{
    eleven: 11,
    twelve: 12,
    fifteen: 15,
    twenty: 20,
    thirty: 30,
    forty: 40,
    'forty-five': 45,
    sixty: 60,
    ninety: 90,
  },
  ...{
    half: 0.5,
    'half a': 0.5,
    'half an': 0.5,
    'a couple of': 2,
    'a couple': 2,
    couple: 2,
    'a few': 5,
    few: 5,
    several: 7,
  },
};

const WORD = Object.keys(NUMBERS)
  .sort((a, b) => b.length - a.length)
  .map((word) => word.replaceAll(' ', '\\s+'))
  .join('|');
const NUMBER = `(?:\\d{1,3}(?:,\\d{3})+|\\d+(?:\\.\\d+|:\\d\\d)?|(?:${WORD}))`;
const DURATION = new RegExp(
  `(?<bound>(?:less|more|longer|fewer)\\s+than\\s+|under\\s+|over\\s+|at\\s+least\\s+|at\\s+most\\s+|up\\s+to\\s+|within\\s+)?(?<![\\w.,:])(?:${NUMBER}\\s*(?:-|–|to|or)\\s*)?(?<number>${NUMBER})(?<more>\\s+and\\s+a\\s+half)?(?:\\s*[-~]?\\s*)(?<unit>seconds?|secs?|minutes?|mins?|hours?|hrs?|days?|weeks?|months?|(?<=\\d\\s?)[smh]|min)\\b(?<half>\\s+and\\s+a\\s+half)?`,
  'gi',
);

/** Of what takes time, running is told apart from what was observed. */
const RUNNING =
  /\b(tak(e|es|en|ing)|took|runs?|running|run-?times?|complet\w+|finish\w*|execut\w+|reproduc\w+|durations?|wait|comput\w+|times?|lasts?)\b/i;
const NOT_RUNNING =
  /\b(collected|follow(ed)?-?\s?up|followed for|commits?|histor\w+|time-?outs?|timed? out|expires?|patients?|aged?|surve\w+|interviews?|participants?|observ\w+|treatment|(once|twice|times)\s+(an?|per|every|each)|(last|past)\s+\S+\s+(days?|weeks?|months?))\b/i;

interface Duration {
  seconds: number;
  /** More than that, and nobody says how much. */
  isLeast: boolean;
  /** Less than that. */
  isBelow: boolean;
  place: Place;
}

/** Times that sentences say a run takes. */
function durationsIn(sentences: readonly Sentence[]): Duration[] {
  return sentences
    .filter(({ text }) => RUNNING.test(text) && !NOT_RUNNING.test(text))
    .flatMap((sentence) => [...sentence.text.matchAll(DURATION)].map((match) => durationOf(sentence, match)));
}

function durationOf(sentence: Sentence, match: RegExpMatchArray): Duration {
  const { bound = '', number = '', unit = '', half = match.groups?.more } = match.groups ?? {};
  const word = number.toLowerCase().replace(/\s+/g, ' ');
  const count = (/^\d/.test(word) ? numberOf(word) : (NUMBERS[word] ?? NaN)) + (half === undefined ? 0 : 0.5);
  const seconds = count * (UNIT_SECONDS.find(([name]) => name.test(unit))?.[1] ?? NaN);
  const isLeast = /^(more|longer|over|at\s+least)/i.test(bound);
  return { seconds, isLeast, isBelow: /^(less|fewer|under|within)/i.test(bound), place: sentence.placeOf(match) };
}

/** `1,000`, and hours and minutes as `1:30`. */
function numberOf(text: string): number {
  const [whole = '', sixtieths] = text.replaceAll(',', '').split(':');
  return Number(whole) + Number(sixtieths ?? 0) / 60;
}

/** Whether the authors say that it runs in less than eight hours; the longest time said decides. */
export const shortRun: Criterion = {
  id: 'runtime',
  asks: 'runs in less than 8 h, as stated',
  level: 'study',
  judge({ record, prose, unread }) {
    const stated = record.seconds;
    if (stated !== null)
      return judged(stated.value < MOST_SECONDS ? 'in' : 'out', 'the longest that a script may run', stated.place);
    const longest = durationsIn(prose).sort((a, b) => b.seconds - a.seconds)[0];
    if (longest === undefined) return judged('unknown', 'no time is stated', ...unread.slice(0, 3));
    const { seconds, isLeast, isBelow, place } = longest;
    if (seconds < MOST_SECONDS && isLeast)
      return judged('unknown', 'longer than that, and nobody says how long', place);
    if (seconds > MOST_SECONDS && isBelow)
      return judged('unknown', 'shorter than that, and nobody says how much', place);
    const isShort = seconds < MOST_SECONDS || (seconds === MOST_SECONDS && isBelow);
    if (isShort && unread.length > 0)
      return judged('unknown', 'stated, but not all could be read', place, ...unread.slice(0, 2));
    return judged(isShort ? 'in' : 'out', 'the longest time that is stated', place);
  },
};
