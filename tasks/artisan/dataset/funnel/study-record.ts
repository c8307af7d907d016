import { isScalar, LineCounter, parseDocument } from 'yaml';

/** Where something stands: the line counted from 1, null where it is a whole file or its absence; what of it decided. */
export interface Place {
  file: string;
  line: number | null;
  match: string;
}

/** What somebody has written down of a study, and where. */
export interface Fact<Value> {
  value: Value;
  place: Place;
}

/** What is known of a study beside its artifact. Null: nobody has looked, or it could not be read; never "no". */
export interface StudyRecord {
  id: string;
  /** Title, abstract, keywords: what the research is about. */
  about: readonly Fact<string>[];
  track: Fact<string> | null;
  badges: Fact<readonly string[]> | null;
  /** Where the artifact is by the paper; an empty one: the paper says that there is none. */
  address: Fact<string> | null;
  /** Whether the tree is all of the artifact; else what could not be had. */
  download: { isComplete: true } | { isComplete: false; why: string };
  /** An environment that the benchmark brings for the study. */
  environment: Fact<string> | null;
  /** Seconds that its longest script may take. */
  seconds: Fact<number> | null;
  tables: readonly TableRecord[];
}

/** What is known of a table of a study. */
export interface TableRecord {
  id: string;
  caption: Fact<string> | null;
  /** Keys of its columns. */
  columns: Fact<readonly string[]> | null;
  /** What its cells print. */
  cells: Fact<readonly string[]> | null;
  /** Paths in the artifact of the data it is computed from; null: whatever its code reads. */
  data: readonly string[] | null;
  /** Bounds of values that chance has a hand in. */
  intervals: Fact<string> | null;
}

/** Reads values of a YAML text with the lines they stand in. */
export interface YamlFacts {
  /** The value at a path, or null where there is none. */
  at: <Value>(...path: (string | number)[]) => Fact<Value> | null;
}

/** Facts of a YAML text, `file` being what evidence calls it. */
export function yamlFacts(text: string, file: string): YamlFacts {
  const counter = new LineCounter();
  const document = parseDocument(text, { lineCounter: counter, uniqueKeys: false });
  const lines = text.split('\n');
  return {
    at: <Value>(...path: (string | number)[]) => {
      const node: unknown = document.getIn(path, true);
      if (node === undefined || node === null) return null;
      const value = (isScalar(node) ? node.value : document.getIn(path)) as Value & { toJSON?: () => Value };
      if (value === null || value === undefined) return null;
      const range = (node as { range?: [number, number, number] | null }).range;
      const line = range ? counter.linePos(range[0]).line : 1;
      const match = (lines[line - 1] ?? '').trim().slice(0, LONGEST_MATCH);
      return { value: value.toJSON?.() ?? value, place: { file, line, match } };
    },
  };
}

/** Evidence is a line to look at, no copy of it. */
export const LONGEST_MATCH = 120;
