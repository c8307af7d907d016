import type { BuildEnd, ProjectProgress } from '../src/contract/dataset-build.js';

/** Where a dataset build stands: for whoever asks, and for the Temporal UI. */
export interface BuildProgress {
  /** A step begins. Call what it returns when it has ended. */
  began(project: string, summary: string): (how: 'done' | 'failed') => void;
  /** A part in so many chunks begins. Call what it returns whenever one of them has ended well. */
  beganChunks(project: string, count: number): () => void;
  ended(project: string, end: BuildEnd): void;
  projects(): ProjectProgress[];
  /** How the projects ended, by name. */
  ends(): Record<string, BuildEnd>;
  /** Of the build as a whole: that of the first project that failed, where one did. */
  outcome(): { outcome: string; blame: string | null };
}

/** Of a build of these projects; `show` is given a Markdown table at every change. */
export function createBuildProgress(names: readonly string[], show: (details: string) => void): BuildProgress {
  const rows = names.map((project): ProjectProgress => ({ project, done: 0, running: [], end: null }));
  const rowOf = (project: string): ProjectProgress => {
    const row = rows.find((each) => each.project === project);
    if (!row) throw new TypeError(`${project} is not built`);
    return row;
  };
  const changed = (): void => show(details(rows));
  const ends = (): Record<string, BuildEnd> =>
    Object.fromEntries(rows.flatMap(({ project, end }) => (end === null ? [] : [[project, end]])));
  return {
    began(project, summary) {
      const row = rowOf(project);
      row.running.push(summary);
      changed();
      return (how) => {
        row.running.splice(row.running.indexOf(summary), 1);
        if (how === 'done') row.done += 1;
        changed();
      };
    },
    beganChunks(project, count) {
      const row = rowOf(project);
      let done = 0;
      const note = (): void => {
        if (done < count) row.chunks = { done, left: count - done };
        else delete row.chunks;
      };
      note();
      return () => {
        done += 1;
        note();
      };
    },
    ended(project, end) {
      const row = rowOf(project);
      row.end = end;
      delete row.chunks;
      changed();
    },
    projects: () => rows,
    ends,
    outcome() {
      const failed = Object.values(ends()).find((end) => end.ended === 'failed');
      return failed?.ended === 'failed'
        ? { outcome: failed.failure.type, blame: failed.failure.blame }
        : { outcome: 'built', blame: null };
    },
  };
}

function details(rows: readonly ProjectProgress[]): string {
  const lines = rows.map((row) => `| ${row.project} | ${row.done} | ${state(row)} |`);
  return ['| project | steps done | now |', '|---|---|---|', ...lines].join('\n');
}

function state({ running, end }: ProjectProgress): string {
  if (end === null) return running.join('; ') || 'waits for its turn';
  if (end.ended === 'built') return `built: ${end.built.tasks} tasks`;
  return `failed: ${end.failure.type}`;
}
