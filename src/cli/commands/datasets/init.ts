import { createInterface } from 'node:readline/promises';
import { initCampaign, type InitRequest } from '../../../client/plans/init-campaign.js';
import { suiteList, type SuiteSummary } from '../../../client/inspect/suite-list.js';
import { UserError } from '../../../domain/failure/user-error.js';
import type { CommandEntry } from '../../command-entry.js';
import { EXIT } from '../../exit-code.js';
import { isAskable } from '../../options/may-go-on.js';
import { modelOptions, needsModel, readModel } from '../../options/model-options.js';
import { rejectUnusedOptions } from '../../options/action-options.js';
import { nameList } from '../../options/name-list.js';
import { readWholeNumber } from '../../options/whole-number.js';
import type { Session } from '../../session.js';

/** `durabench init [FILE]` */
export const init: CommandEntry = {
  declare: (program) =>
    rejectUnusedOptions(
      modelOptions(
        program
          .command('init')
          .description('write a commented campaign file; on a terminal it asks what is not given')
          .argument('[file]', 'file to write; never over another one', 'campaign.yaml')
          .option('--suite <name>', 'the benchmark (`suites` lists them)')
          .option('--name <name>', 'name of the campaign')
          .option('--project <names>', 'only these projects of the suite, separated by commas')
          .option('--tasks <n>', 'tasks of each project')
          .option('--model <name>', 'the model to evaluate, as its provider knows it'),
        'the campaign',
      ),
      { needs: needsModel('model') },
    ),
  action: async (session, [file = 'campaign.yaml'], options) => {
    const given = isAskable(session) ? await askOnTerminal(session, options) : options;
    // Whoever runs the file sees the price in it, and is asked.
    const asked = { ...given, price: given.price ?? 'free' };
    const written = await initCampaign(session, file, await requestOf(session, asked));
    const { output } = session;
    if (output.flags.json) output.json('initialized', written);
    else output.data(`wrote ${file}: suite ${written.suite}, systems ${written.systems.join(', ')}`);
    if (given.model !== undefined && asked.price === 'free')
      output.warn('warning: price is free: where the provider asks money, write its prices, or no budget holds');
    output.say(`next: durabench validate ${file}, then durabench run ${file} --limit 2`);
    return EXIT.ok;
  },
};

type Options = Record<string, unknown>;

async function requestOf(session: Session, options: Options): Promise<InitRequest> {
  const { suite, name, project, tasks, model } = options;
  if (typeof suite !== 'string') throw await noSuite(session);
  const read = readModel(model, options);
  return {
    suite,
    name: typeof name === 'string' ? name : undefined,
    projects: nameList(project),
    tasks:
      tasks === undefined
        ? undefined
        : readWholeNumber('--tasks', tasks, { least: 1, most: 100_000, fix: 'leave --tasks out for 10' }),
    ...(read && { model: read, usd: read.usd }),
  };
}

async function noSuite(session: Session): Promise<UserError> {
  const ids = (await suiteList(session)).map(({ id }) => id);
  return new UserError('usage', {
    message: 'init: no suite is named, and nobody sits at a terminal to be asked',
    expected: `--suite with one of ${ids.join(', ')}`,
    fix: `durabench init --suite ${ids[0] ?? 'NAME'}`,
  });
}

/** Puts a question; an empty answer is what is usual. */
type Question = (what: string, usual: string) => Promise<string>;

async function askOnTerminal(session: Session, options: Options): Promise<Options> {
  const suites = await suiteList(session);
  const line = createInterface({ input: process.stdin, output: process.stderr });
  const question: Question = async (what, usual) =>
    (await line.question(`${what}${usual === '' ? ' (empty: none)' : ` [${usual}]`}: `)).trim() || usual;
  try {
    return await askOpen(options, suites, question);
  } finally {
    line.close();
  }
}

/** What the options leave open, asked in turn. */
export async function askOpen(
  options: Options,
  suites: readonly Pick<SuiteSummary, 'id' | 'title'>[],
  question: Question,
): Promise<Options> {
  const known = suites.map(({ id, title }) => `  ${id.padEnd(12)} ${title}\n`).join('');
  const suite = options.suite ?? (await question(`${known}suite`, suites[0]?.id ?? ''));
  const tasks = options.tasks ?? (await question('tasks of each project', '10'));
  const given = { ...options, suite, tasks };
  if (options.model !== undefined) return given;
  const model = await question('model to evaluate, as its provider knows it', '');
  if (model === '') return given;
  const baseUrl = await question('its OpenAI-compatible endpoint', String(options.baseUrl));
  const variable = await question('NAME of the environment variable with its key, or none', 'OPENAI_API_KEY');
  const price = await question(
    'US dollars per million tokens (in,out), or free',
    typeof options.price === 'string' ? options.price : 'free',
  );
  const usd = await question('what the campaign may cost at most, in US dollars', String(options.usd));
  return { ...given, model, baseUrl, ...(variable !== 'none' && { apiKeyEnv: variable }), price, usd };
}
