import { z } from 'zod';
import { count } from './fields.js';

const ofFailed = z.object({ value: z.number(), interval: z.unknown().describe('95 %, Wilson') });
const failureCounts = z.array(z.object({ name: z.string(), failed: count }));

/** Of `report.json`. */
export const failureAnalysis = z.object({
  classes: z.array(
    z.object({
      system: z.string(),
      class: z.string().nullable().describe('null: of no class; the reason, of a suite without classes'),
      failed: count,
      share: ofFailed.describe('of the failed trials of the system'),
      ...{ groups: failureCounts, difficulties: failureCounts, stages: failureCounts },
      samples: z
        .array(z.object({ trial: z.string(), reason: z.string(), excerpt: z.string().nullable() }))
        .describe('ten at most, drawn by the hash of their ids; excerpt: a line of the evidence'),
    }),
  ),
  recommendations: z
    .array(
      z.object({
        ...{ system: z.string(), rule: z.string() },
        counts: z
          .union([z.object({ class: z.string() }), z.object({ stage: z.string() }), z.object({ blame: z.string() })])
          .describe('a class has its finer ones with it'),
        ...{ found: count, of: count.describe('that failed; where blame counts, that ended'), share: ofFailed },
        above: z.number().describe('threshold of the share'),
        certain: z.boolean().describe('the interval lies above the threshold, of 10 trials or more'),
        ...{ advice: z.string(), trials: z.array(z.string()).describe('ten at most') },
      }),
    )
    .describe('rules whose threshold is exceeded'),
});
