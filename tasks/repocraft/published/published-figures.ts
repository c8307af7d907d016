import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';

const percent = z.number().nullable();

const figures = z.object({
  source: z.string(),
  notes: z.array(z.string()),
  systems: z.array(
    z.object({
      system: z.string(),
      model: z.string().nullable(),
      coverage: percent,
      novelty: percent,
      pass: percent,
      vote: percent,
      files: percent,
      loc: percent,
      code_tokens: percent,
    }),
  ),
  /** Project → system → [coverage, pass, vote, files, loc]. */
  per_project: z.record(z.string(), z.record(z.string(), z.array(percent).length(5))),
});

/** One row of the paper, rates in 0..1. */
export interface PublishedRow {
  system: string;
  coverage: number | null;
  /** Printed over all projects only. */
  novelty: number | null;
  pass: number | null;
  vote: number | null;
  files: number | null;
  loc: number | null;
  /** Tokens of the code; printed over all projects only. */
  tokens: number | null;
}

/** The paper's figures. */
export interface PublishedFigures {
  source: string;
  overall: PublishedRow[];
  /** Project → rows; projects of ours alone are absent. */
  projects: Map<string, PublishedRow[]>;
}

/** Reads `published/paper.json` (its README says where the figures come from). */
export async function readPublished(suiteFolder: string): Promise<PublishedFigures> {
  const text = await readFile(join(suiteFolder, 'published', 'paper.json'), 'utf8');
  const { source, systems, per_project } = figures.parse(JSON.parse(text));
  const overall = systems.map(({ system, model, code_tokens: tokens, ...row }) => ({
    ...row,
    system: model === null ? system : `${system} ${model}`,
    tokens,
    coverage: rate(row.coverage),
    novelty: rate(row.novelty),
    pass: rate(row.pass),
    vote: rate(row.vote),
  }));
  const projects = Object.entries(per_project).map(([project, rows]): [string, PublishedRow[]] => [
    project,
    Object.entries(rows).map(([system, [coverage, pass, vote, files, loc]]) => ({
      ...{ system, coverage: rate(coverage), novelty: null, pass: rate(pass), vote: rate(vote), tokens: null },
      ...{ files: files ?? null, loc: loc ?? null },
    })),
  ]);
  return { source, overall, projects: new Map(projects) };
}

const rate = (value: number | null | undefined): number | null => (value == null ? null : value / 100);
