import { stringify, type ToStringOptions } from 'yaml';
import type { KnownSuite } from '../../suite/registry.js';
import type { StarterChoice, StarterParts } from '../../suite/suite.js';
import type { MadeModel } from './made-campaign.js';

/** What the file calls the model. */
const MODEL_KEY = 'main';
const ONE_LINE: ToStringOptions = { lineWidth: 0, collectionStyle: 'flow' };

/** What a campaign file of a suite is begun with. */
export interface StarterRequest extends Omit<StarterChoice, 'model'> {
  name: string;
  suite: KnownSuite;
  model: Omit<MadeModel, 'usd'> | null;
  /** US dollars. */
  usd: MadeModel['usd'];
}

/** A campaign file with a comment on whatever a reader may want to change. */
export function starterText({ name, suite, model, usd, ...choice }: StarterRequest): string {
  const { manifest, generators, dataset } = suite;
  const key = model === null ? null : MODEL_KEY;
  const { systems, judge, dataset: selection } = (suite.starter ?? plainStarter(suite))({ ...choice, model: key });
  const described = systems.map(
    (system) => `  - ${flow(system)} # ${generators[system.generator]?.description ?? 'a generator of the suite'}`,
  );
  const projects = dataset.projects.length === 0 ? '' : `; projects: ${dataset.projects.join(', ')}`;
  return [
    `# ${manifest.title}`,
    '# Everything a campaign file may say, for editors: durabench validate --schema',
    `name: ${flow(name)}`,
    `suite: ${flow(manifest.id)}`,
    '# tags: [smoke] # to find it by: durabench list --tag smoke',
    '# notify: [{ webhook_env: SLACK_WEBHOOK, on: [end, soft_budget, stall] }] # or command: [PROGRAM, ARGUMENT]',
    '',
    `# Which tasks${projects}`,
    `dataset: ${flow(selection)}`,
    '',
    ...modelLines(model),
    `# What is compared. \`durabench suites\` lists the generators of ${manifest.id}.`,
    'systems:',
    ...described,
    ...snapshotLines(suite),
    '',
    ...(judge === undefined ? [] : ['# How answers are graded.', `judge: ${flow(judge)}`, '']),
    '# Independent samples of every task; 5 also tells pass@5 and pass^5.',
    'repeats: 1',
    '',
    '# Never exceeded: what a call may cost is reserved before it is sent. Also tokens, wall_hours, trials.',
    `budget: ${flow({ usd })}`,
    '',
    '# How much runs at once; changes no result.',
    'concurrency: { batches: 2, trials: 16, model: 8, sandbox: 2 }',
    '',
  ].join('\n');
}

function modelLines(model: StarterRequest['model']): string[] {
  if (model === null)
    return [
      '# No model is asked. For one:',
      '# models:',
      `#   ${MODEL_KEY}: { name: gpt-4o-mini, base_url: https://api.openai.com/v1, api_key_env: OPENAI_API_KEY, price: { input: 0.15, output: 0.60 } }`,
      '',
    ];
  return [
    'models:',
    `  ${MODEL_KEY}:`,
    `    name: ${flow(model.name)} # as the provider knows it`,
    `    base_url: ${flow(model.baseUrl)} # OpenAI-compatible`,
    model.apiKeyEnv === undefined
      ? '    # api_key_env: OPENAI_API_KEY # the NAME of the variable with its key, in the environment or in .env'
      : `    api_key_env: ${flow(model.apiKeyEnv)} # the NAME of the variable with its key, in the environment or in .env`,
    `    price: ${flow(model.price)} # US dollars per million tokens, or free`,
    '    max_output_tokens: 4096 # the cap of one answer, reasoning included; what is reserved for a call',
    '',
  ];
}

/** A candidate of the reader's own, where the suite takes one. */
function snapshotLines({ generators }: KnownSuite): string[] {
  return Object.entries(generators)
    .filter(([, { needsPath }]) => needsPath)
    .map(
      ([generator, { description }]) => `  # - { id: mine, generator: ${generator}, path: ./mine } # ${description}`,
    );
}

/** Of a suite that says nothing: its reference, else whatever needs nothing, beside whatever asks a model. */
function plainStarter({ generators, referenceGenerator }: KnownSuite): (choice: StarterChoice) => StarterParts {
  const names = Object.keys(generators);
  const plain =
    referenceGenerator ?? names.find((name) => !generators[name]?.needsModel && !generators[name]?.needsPath);
  const asking = names.find((name) => generators[name]?.needsModel);
  return ({ model }) => ({
    dataset: {},
    systems: [
      ...(plain === undefined ? [] : [{ id: plain, generator: plain }]),
      ...(asking === undefined || model === null ? [] : [{ id: asking, generator: asking, model }]),
    ],
  });
}

/** On one line; quoted where YAML would read something else (`null`). */
const flow = (value: unknown): string => stringify(value, ONE_LINE).trim();
