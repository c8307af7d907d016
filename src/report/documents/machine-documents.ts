import { z } from 'zod';
import { anyJson, count, hash, problem } from './fields.js';

/** `doctor` */
export const doctorDocument = z.object({
  ready: z.boolean().describe('nothing is missing'),
  findings: z.array(
    z.object({
      name: z.string(),
      state: z.enum(['ok', 'later', 'missing']).describe('later: `up` or `quickstart` brings it'),
      detail: z.string(),
      fix: z.string().nullable(),
      installable: z.enum(['engine', 'bootstrapper']).optional().describe('`quickstart --install` brings it'),
    }),
  ),
  sandbox_limits: z.record(z.string(), z.number()).optional(),
  loosened_by_suites: z
    .record(z.string(), z.record(z.string(), z.record(z.string(), z.number())))
    .optional()
    .describe('suite, purpose of a run, limit'),
});

/** `up` */
export const stackDocument = z.object({
  up: z.boolean(),
  was_up: z.boolean(),
  state: z.string().describe('folder'),
  temporal_ui: z.string().nullable(),
  pages: z.string().nullable().describe('address of the pages that `up --view` serves'),
  services: z.array(
    z.object({
      ...{ name: z.string(), mode: z.string(), status: z.string(), detail: z.string() },
      ...{ pid: count.nullable(), restarts: count },
    }),
  ),
});

/** `down` */
export const stoppedDocument = z.object({ stopped: z.array(z.string()) });

/** `images` */
export const imagesDocument = z.object({
  images: z.array(
    z.object({
      ...{ name: z.string(), tag: z.string(), recipe_digest: hash, present: z.boolean() },
      ...{ image_id: z.string().nullable(), size_bytes: count.nullable() },
    }),
  ),
});

/** `clean` */
export const cleanDocument = z.object({
  ...{ dry_run: z.boolean(), removed_blobs: count, removed_bytes: count, kept_blobs: count },
  removed_containers: count.nullable().describe('null: Docker does not answer'),
  ...{ removed_networks: count.nullable(), removed_contents: count.nullable(), removed_scratch: count.nullable() },
  kept_shared: count,
  workspaces: z
    .object({ removed: z.boolean(), blobs: count, bytes: count })
    .describe('of trials and generations that have ended'),
});

/** `mock-model` */
export const mockModelDocument = z.object({ url: z.string(), port: count });

/** `view` */
export const viewDocument = z.object({ url: z.string(), port: count });

/** `view --export` */
export const viewExportDocument = z.object({ folder: z.string(), campaigns: z.array(z.string()), pages: count });

/** `suites` */
export const suitesDocument = z.object({
  suites: z.array(
    z.object({
      ...{ id: z.string(), title: z.string(), version: z.string(), dataset_version: z.number().nullable() },
      package: z
        .object({ name: z.string(), version: z.string(), folder: z.string() })
        .nullable()
        .describe('where the suite comes from; null: it is one of Durabench'),
      ...{ needs_docker: z.boolean(), stages: z.array(z.string()) },
      generators: z.array(
        z.object({ id: z.string(), needs_model: z.boolean(), needs_path: z.boolean(), description: z.string() }),
      ),
      projects: z.array(z.string()),
      calibration: z
        .object({ kinds: z.array(z.string()), voters: z.array(z.string()) })
        .nullable()
        .describe('what `calibrate` measures; null: its graders cannot be measured'),
    }),
  ),
});

/** `validate` */
export const validDocument = z.object({
  valid: z.literal(true),
  name: z.string(),
  suite: z.string(),
  systems: z.array(z.string()),
  warnings: z.array(problem).describe('such as a key variable that is not set'),
  config: z.record(z.string(), z.unknown()).optional().describe('with --print-config: the file with all defaults'),
});

/** `init` */
export const initializedDocument = z.object({
  ...{ file: z.string(), name: z.string(), suite: z.string(), systems: z.array(z.string()) },
});

/** `dataset fetch` and `dataset build` */
export const datasetDocument = z.object({
  suite: z.string(),
  projects: z.array(z.string()),
  tasks: count,
  digest: z.string(),
  lock_path: z.string().optional(),
});

/** `dataset fetch --published` */
export const publishedDocument = z.object({
  suite: z.string(),
  tasks: z.array(
    z.object({
      ...{ id: z.string(), project: z.string() },
      state: z
        .enum(['planned', 'refused', 'unavailable'])
        .describe('refused: this machine cannot run it; unavailable: its files could not be had'),
      reasons: z.array(z.object({ code: z.string(), message: z.string() })),
    }),
  ),
  notes: z.array(z.string()),
  digest: z.string().describe('of the tasks whose files are all there'),
  lock_paths: z.array(z.string()).describe('what was written to pin it; none where it was pinned already'),
});

/** `dataset build` that is left to itself, and `dataset cancel` */
export const buildDocument = z.object({
  suite: z.string(),
  state: z.enum(['running', 'ending', 'none']).describe('none: there was no build to cancel'),
});

/** `calibrate`, and `calibration.json` */
export const calibrationDocument = z.object({
  campaign: z.string().nullable().describe('null: nothing was executed'),
  dataset: z.string(),
  seed: count,
  lock: hash.optional(),
  calibration: anyJson.describe('figures of the suite'),
});

/** `schema` without a name */
export const schemasDocument = z.object({ schemas: z.array(z.string()) });

/** `completion` */
export const completionDocument = z.object({ shell: z.enum(['bash', 'zsh', 'fish']), script: z.string() });

/** `explain` */
export const codesDocument = z.object({
  codes: z.array(
    z.object({
      ...{ code: z.string(), kind: z.string(), source: z.string() },
      ...{ meaning: z.string(), cause: z.string(), next: z.string() },
    }),
  ),
});
