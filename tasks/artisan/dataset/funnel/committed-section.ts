import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parse } from 'yaml';
import { z } from 'zod';
import { readCommitted } from '../../../../src/suite-kit/committed-json.js';
import { STUDIES } from '../selection.js';
import { funnelSection, type PublishedChain } from './chain.js';
import type { StudyFunnel } from './funnel.js';
import { verdictsPath } from './funnel-step.js';

const place = z.strictObject({ file: z.string(), line: z.int().nullable(), match: z.string() });
const verdict = z.enum(['in', 'out', 'unknown']);

const funnelSchema: z.ZodType<StudyFunnel> = z.strictObject({
  study: z.string(),
  rows: z.array(
    z.strictObject({
      ...{ criterion: z.string(), table: z.string().nullable(), verdict, why: z.string(), evidence: z.array(place) },
      override: z.strictObject({ rule: verdict, reason: z.string(), reviewer: z.string() }).optional(),
    }),
  ),
});

/** What the committed verdicts come to, as the datasheet has it. */
export async function committedSection(suiteFolder: string): Promise<string> {
  const funnels = await Promise.all(STUDIES.map((study) => committedFunnel(study, suiteFolder)));
  const published = await readFile(join(suiteFolder, 'dataset', 'funnel', 'published-chains.yaml'), 'utf8');
  return funnelSection([{ title: 'Our studies', funnels }], parse(published) as PublishedChain[]);
}

/** The verdicts on a study. @throws DomainFailure where its file is missing or damaged */
export const committedFunnel = (study: string, suiteFolder: string): Promise<StudyFunnel> =>
  readCommitted({ path: join(suiteFolder, verdictsPath(study)), noun: 'verdicts of the funnel', schema: funnelSchema });
