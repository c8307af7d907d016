import type { TreeFile } from './artifact-tree.js';
import { readLines, sentencesOf, type Line, type Sentence } from './source-lines.js';
import type { Fact, Place, StudyRecord, TableRecord } from './study-record.js';

/** `unknown`: it could not be told, which is never "no"; a study or table goes on with it, marked. */
export type FunnelVerdict = 'in' | 'out' | 'unknown';

/** What a criterion says of a study or a table. */
export interface Judgement {
  verdict: FunnelVerdict;
  /** Why, in a few words. */
  why: string;
  /** What decided; none where nothing was found anywhere. */
  evidence: Place[];
}

/** What a criterion is given: the record, and the artifact's files as they were read once. */
export interface StudyView {
  record: StudyRecord;
  /** Those that its authors show. */
  files: readonly TreeFile[];
  /** All of them. */
  allFiles: readonly TreeFile[];
  /** Of code and environment files, without comments. */
  code: readonly SourceFile[];
  prose: readonly Sentence[];
  /** What could not be read of what has to be looked at: "nothing found" is not known then. */
  unread: readonly Place[];
}

/** A file that is looked at for keywords. */
export interface SourceFile {
  file: TreeFile;
  lines: readonly Line[];
}

/** One question of the funnel, asked of a study or of each of its tables. Pure. */
export type Criterion = { id: string; asks: string } & (
  | { level: 'study'; judge(study: StudyView): Judgement }
  | { level: 'table'; judge(study: StudyView, table: TableRecord): Judgement }
);

/** Reads the files of an artifact once for all criteria. */
export function viewOf(record: StudyRecord, allFiles: readonly TreeFile[]): StudyView {
  const files = allFiles.filter(({ isShown }) => isShown);
  const read = files.filter(({ kind }) => kind !== 'data').map((file) => ({ file, lines: readLines(file) }));
  const missing = record.download.isComplete ? [] : [{ file: 'download', line: null, match: record.download.why }];
  return {
    record,
    files,
    allFiles,
    code: read.flatMap(({ file, lines }) => (lines && lines.code.length > 0 ? [{ file, lines: lines.code }] : [])),
    prose: read.flatMap(({ lines }) => (lines ? sentencesOf(lines.prose) : [])),
    unread: [...missing, ...read.filter(({ lines }) => lines === null).map(({ file }) => unreadPlace(file))],
  };
}

export const unreadPlace = ({ path, unreadable }: TreeFile): Place => ({
  file: path,
  line: null,
  match: unreadable ?? 'no text of its kind',
});

export const judged = (verdict: FunnelVerdict, why: string, ...evidence: Place[]): Judgement => ({
  verdict,
  why,
  evidence,
});

/** What nothing was found for: `verdict` where everything was read, else unknown. */
export const notFound = ({ unread }: Pick<StudyView, 'unread'>, verdict: FunnelVerdict, why: string): Judgement =>
  unread.length === 0
    ? judged(verdict, why)
    : judged('unknown', `${why}, but not all could be read`, ...unread.slice(0, 3));

/** A fact that nobody has stated is unknown. */
export const ofFact = <Value>(
  fact: Fact<Value> | null,
  unstated: string,
  judge: (value: Value, place: Place) => Judgement,
): Judgement => (fact === null ? judged('unknown', unstated) : judge(fact.value, fact.place));

/** The first line that fits, and what of it. */
export function firstMatch(lines: readonly Line[], pattern: RegExp): Place | null {
  for (const { file, number, text } of lines) {
    const found = pattern.exec(text);
    if (found !== null) return { file, line: number, match: found[0].trim() };
  }
  return null;
}

/** The first sentence that fits `wanted` and not `unless`. */
export function firstSentence(
  sentences: readonly Sentence[],
  wanted: RegExp,
  unless: RegExp | null = null,
): Place | null {
  for (const sentence of sentences) {
    const found = wanted.exec(sentence.text);
    if (found !== null && unless?.test(sentence.text) !== true) return sentence.placeOf(found);
  }
  return null;
}
