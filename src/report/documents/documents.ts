import { z, type ZodObject } from 'zod';
import {
  comparisonDocument,
  costsDocument,
  exportedCandidateDocument,
  exportedDocument,
  goldenCheckDocument,
  goldenSetDocument,
  listDocument,
  notificationDocument,
  reportDocument,
  statusDocument,
} from './campaign-documents.js';
import { generationDocument, graphDocument, logDocument, pictureDocument, trialDocument } from './detail-documents.js';
import { problem } from './fields.js';
import * as machine from './machine-documents.js';
import * as operation from './operation-documents.js';
import { DOCUMENT_VERSION } from './versioned.js';

/** What a command that failed answers under `--json`. */
const errorDocument = z.object({
  error: problem.extend({
    code: z
      .string()
      .describe('usage, environment, cancelled, interrupted, internal, or the type of a failure (sandbox.disk-full)'),
    problems: z.array(problem).describe('all that is wrong; `message`, `expected` and `fix` are those of the first'),
  }),
});

/** Every JSON document, by name, without its `version`. */
export const DOCUMENTS = {
  error: errorDocument,
  status: statusDocument,
  list: listDocument,
  notification: notificationDocument,
  report: reportDocument,
  comparison: comparisonDocument,
  exported: exportedDocument,
  'exported-candidate': exportedCandidateDocument,
  'golden-set': goldenSetDocument,
  'golden-check': goldenCheckDocument,
  trial: trialDocument,
  log: logDocument,
  generation: generationDocument,
  'generation-picture': pictureDocument,
  graph: graphDocument,
  'graph-import': operation.graphImportDocument,
  started: operation.startedDocument,
  'planned-campaign': operation.plannedCampaignDocument,
  'planned-runs': operation.plannedRunsDocument,
  'pause-effect': operation.pauseEffectDocument,
  'cancel-effect': operation.cancelEffectDocument,
  review: operation.reviewDocument,
  deleted: operation.deletedDocument,
  budget: operation.budgetDocument,
  doctor: machine.doctorDocument,
  stack: machine.stackDocument,
  stopped: machine.stoppedDocument,
  images: machine.imagesDocument,
  clean: machine.cleanDocument,
  'mock-model': machine.mockModelDocument,
  view: machine.viewDocument,
  'view-export': machine.viewExportDocument,
  suites: machine.suitesDocument,
  valid: machine.validDocument,
  initialized: machine.initializedDocument,
  dataset: machine.datasetDocument,
  published: machine.publishedDocument,
  costs: costsDocument,
  build: machine.buildDocument,
  codes: machine.codesDocument,
  completion: machine.completionDocument,
  schemas: machine.schemasDocument,
  calibration: machine.calibrationDocument,
} satisfies Record<string, ZodObject>;

export type DocumentName = keyof typeof DOCUMENTS;

/** A document without its version. */
export type DocumentBody<Name extends DocumentName> = z.input<(typeof DOCUMENTS)[Name]>;

/** JSON Schema (2020-12) of a document. Keys that are not named may be there: a reader leaves them alone. */
export function documentSchema(name: DocumentName): object {
  const whole = z.object({ version: z.literal(DOCUMENT_VERSION), ...DOCUMENTS[name].shape });
  return { title: `durabench ${name}`, ...z.toJSONSchema(whole, { io: 'input' }) };
}
