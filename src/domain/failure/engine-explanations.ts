import type { FailureType } from '../../contract/failure.js';
import type { Explanations } from '../../contract/problem.js';
import { explanationsOf } from './explanations-of.js';
import type { ErrorCode } from './problems-of.js';

const WAITS = 'Nothing: the campaign waits and continues by itself. `durabench status CAMPAIGN` shows since when.';
const RETRY = '`durabench retry CAMPAIGN` runs the errored trials again.';
const REPORT_BUG =
  'Report it with `durabench show TRIAL` and the worker log in `.durabench/logs`; after an update, `durabench retry CAMPAIGN`.';

/** Every failure type; a new one without an entry does not compile. */
const FAILURES: Explanations<FailureType> = explanationsOf('failure', {
  'model.rate-limited': [
    'The provider refused a request because too many were sent.',
    'The rate limit of the account; Durabench lowers its concurrency and tries again.',
    `${WAITS} A lower \`concurrency: { model }\` avoids it.`,
  ],
  'model.waiting': [
    'A request was not sent yet.',
    'Other requests to the same provider come first, since it allows only so many.',
    WAITS,
  ],
  'model.batched': [
    'A request waits for the Batch API of the provider.',
    'The model has `batch_api` in the campaign file; such answers take up to a day.',
    WAITS,
  ],
  'model.server-error': [
    'The provider answered with a server error (5xx), eight times.',
    'An outage of the provider.',
    `Check the provider's status page. ${RETRY}`,
  ],
  'model.unreachable': [
    'The provider could not be reached, eight times.',
    'Wrong `base_url`, no network, a proxy or a firewall.',
    `Correct \`base_url\`; \`durabench run FILE --id CAMPAIGN\` takes it over. ${RETRY}`,
  ],
  'model.ambiguous': [
    'A request was sent and its answer was lost, twice; it may have been billed.',
    'Connections that break, or workers that are killed, while an answer is on its way.',
    `${RETRY} With \`stored: true\` in the model's settings lost answers are fetched instead.`,
  ],
  'model.bad-request': [
    'The provider refused the request as invalid.',
    'A model name or setting (`temperature`, `extra_body`, …) that the endpoint does not accept.',
    'Correct the model in the campaign file, then `durabench run FILE --revises CAMPAIGN`.',
  ],
  'model.unauthorized': [
    'The provider refused the API key.',
    'A key that is wrong, expired or not allowed to use this model.',
    'Set the variable named by `api_key_env`, then `durabench up` and `durabench retry CAMPAIGN`.',
  ],
  'model.key-missing': [
    'The worker has no API key for this model; the call waits.',
    'The variable named by `api_key_env` was not set when the worker was started.',
    'Set the variable, then `durabench up`.',
  ],
  'model.content-policy': [
    'The provider refused to answer because of its content policy.',
    "The prompt or the answer triggered the provider's filter.",
    '`durabench show TRIAL` shows the evidence; the result counts as the system’s.',
  ],
  'model.context-length': [
    'The request was longer than the model can read.',
    'A large task or candidate with a model of small context.',
    'Use a model with a larger context: `durabench run FILE --revises CAMPAIGN`.',
  ],
  'model.bad-answer': [
    'The reply was no answer in the form of the API, three times.',
    'A proxy or server that is not OpenAI-compatible.',
    `Check \`base_url\`. ${RETRY}`,
  ],
  'judge.no-answer': [
    'No judge gave an answer that can be read.',
    'A judge that is cut off, refuses, or contradicts itself.',
    `Raise \`max_output_tokens\` or \`reasoning_tokens\` of the judge where answers were cut off. ${RETRY}`,
  ],
  'call.in-flight': ['Another worker is making the same call.', 'Two trials ask the same question at once.', WAITS],
  'budget.exhausted': [
    'A limit of the campaign or the installation was reached before this trial.',
    'The budget is smaller than what the campaign needs.',
    '`durabench budget CAMPAIGN --usd N` (or `--installation`), then `durabench resume CAMPAIGN`.',
  ],
  'budget.contended': [
    'Money is reserved by other calls; this one waits for it.',
    'Many concurrent calls near the limit.',
    WAITS,
  ],
  'system.limit-reached': [
    'The system reached its own limit (`systems.ID.limits`).',
    'The limit is part of what is evaluated; what was made until then is graded.',
    'To evaluate with another limit: `durabench run FILE --revises CAMPAIGN`.',
  ],
  'sandbox.lost': [
    'The outcome of a sandbox run is unknown, three times.',
    'An overloaded machine or Docker engine, or a connection to Docker that breaks.',
    `Lower \`concurrency: { sandbox }\`. ${RETRY}`,
  ],
  'sandbox.unavailable': [
    'Docker does not answer.',
    'The engine is stopped or restarting.',
    `\`durabench doctor\`. ${WAITS}`,
  ],
  'sandbox.image-missing': [
    'The sandbox image is not on the Docker engine; the step waits.',
    'The image was never built here, or was removed.',
    '`durabench images build`',
  ],
  'sandbox.disk-full': [
    'Less disk is free than `DURABENCH_MIN_FREE_GIB`, and no sandbox run starts; or a file of a worker found no room.',
    'Images, logs or other programs fill the disk.',
    '`durabench clean --dry-run`, then free disk space; the campaign continues by itself.',
  ],
  'suite.missing': [
    'The worker does not have the suite; the step waits.',
    'The suite comes from a package that is not installed where the worker runs, or not named in its project.',
    'Install the package there, name it in `package.json` or `DURABENCH_SUITES`, and start the worker again.',
  ],
  'suite.changed': [
    'Scripts or prompts of the suite are not those of the code that the worker runs; the step waits.',
    'The package was upgraded, or a clone pulled, while the worker ran.',
    '`durabench up`, which starts the worker again; in a clone `npm ci` first, which builds.',
  ],
  'dataset.missing': [
    'The worker does not have the tasks of the dataset; the step waits.',
    'The dataset was fetched on another machine or into other blobs.',
    '`durabench dataset fetch SUITE`',
  ],
  'dataset.hash-mismatch': [
    'A task is not the one the lock names.',
    'A changed file in the blob store, or a release that was replaced upstream.',
    '`durabench dataset fetch SUITE`, then `durabench retry CAMPAIGN`.',
  ],
  'task.broken': [
    'A task cannot be graded, whatever the candidate.',
    'A defect of the dataset.',
    'Report the task; leave it out of the selection with `durabench run FILE --revises CAMPAIGN`.',
  ],
  'candidate.missing': [
    'The candidate of a trial is not recorded.',
    'A defect of the suite or of Durabench.',
    REPORT_BUG,
  ],
  'evidence.missing': [
    'The grader needs a run that this trial never made.',
    'A regrade with a changed grader, which accepts what the earlier one refused before it was run.',
    RETRY,
  ],
  'records.unavailable': [
    'Postgres does not answer.',
    'The database is stopped or unreachable.',
    `\`durabench up\`. ${WAITS}`,
  ],
  'blobs.unavailable': [
    'The blob store could not be read or written, eight times.',
    'A full disk or a network folder that is unavailable.',
    `Check \`DURABENCH_BLOBS\`. ${RETRY}`,
  ],
  'blobs.missing': [
    'The worker cannot read a recorded blob; the step waits.',
    'Workers with different blob stores.',
    'Start every worker with the same `DURABENCH_BLOBS`.',
  ],
  'operator.cancelled': [
    'The campaign was cancelled before this trial finished.',
    '`durabench cancel`.',
    '`durabench resume CAMPAIGN` continues.',
  ],
  'operator.superseded': [
    'The campaign was opened again; this older run stopped.',
    '`resume` or `retry`, or another server that took it over.',
    'Nothing: the newer run does the work.',
  ],
  'harness.bug': ['Durabench or the suite failed.', 'A defect, not the candidate.', REPORT_BUG],
});

/** What is held against a candidate by its verdicts, whatever the suite. */
const FLAGS = explanationsOf('flag', {
  forged: [
    'At least one trial of the candidate reported a pass that did not happen.',
    'Code that interferes with the tests or their runner.',
    '`durabench show CAMPAIGN` lists its trials with `candidate.forged-report`; read their evidence before you publish.',
  ],
  suspect: [
    'At least three trials passed a test altered so that it must fail.',
    'Results that equal everything, or code that recognises tests.',
    '`durabench show CAMPAIGN` lists its trials with `candidate.vacuous`; do not believe its other passes.',
  ],
});

/** `error.code` of a document under `--json`, where no failure type says more. */
const ERRORS: Explanations<ErrorCode> = explanationsOf('error', {
  usage: [
    'The command line, the campaign file or a variable is wrong; exit code 1.',
    'A wrong name, option or value.',
    'Each of `error.problems` says where, and how to fix it.',
  ],
  environment: [
    'What the command needs is missing, does not answer or cannot be written; exit code 5.',
    'A stack that is not up; Docker, an image, a dataset or a key that is missing; a full disk.',
    '`durabench doctor` lists what this machine lacks.',
  ],
  cancelled: [
    'What the command waited for was cancelled; exit code 4.',
    '`durabench cancel`.',
    '`durabench resume CAMPAIGN` continues.',
  ],
  interrupted: [
    'The command was interrupted before it was done; exit code 130.',
    'Ctrl-C.',
    'Run the same command again; what is there already is kept.',
  ],
  internal: [
    'Durabench itself failed; exit code 1.',
    'A defect.',
    'Run the same command with `-v` and report what it prints.',
  ],
});

/** What the engine itself says, by code. */
export const ENGINE_EXPLANATIONS: Explanations = { ...FAILURES, ...FLAGS, ...ERRORS };
