import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Command } from 'commander';
import { stringify } from 'yaml';
import type { Problem } from '../../contract/problem.js';
import type { CheckedCampaign } from '../../client/plans/read-campaign.js';
import type { Session } from '../session.js';
import { UserError } from '../../domain/failure/user-error.js';

/** A campaign that the options of a command describe. */
export interface MadeCampaign {
  command: 'grade' | 'calibrate' | 'describe';
  /** Name of the file, without its ending. */
  file: string;
  campaign: object;
  /** What an option became in the file, as problems name it, and the option. */
  options: readonly (readonly [inFile: RegExp, option: string])[];
}

/**
 * Writes the campaign to a file beside the reports (it can be run again, and says what was asked), and reads it as any other.
 * @throws UserError in the words of the command line: the file is none of the user's
 */
export async function readMadeCampaign(session: Session, made: MadeCampaign): Promise<CheckedCampaign> {
  const { readCampaign } = await import('../../client/plans/read-campaign.js');
  const folder = join(session.environment().stateDir, made.command);
  const path = join(folder, `${made.file}.yaml`);
  await mkdir(folder, { recursive: true });
  await writeFile(path, stringify(made.campaign));
  try {
    return await readCampaign(session, path);
  } catch (error) {
    if (!(error instanceof UserError)) throw error;
    throw new UserError(error.kind, toldByOptions(error.problems, path, made));
  }
}

function toldByOptions(problems: readonly Problem[], path: string, { command, options }: MadeCampaign): Problem[] {
  const byOption = <Text extends string | undefined>(text: Text): Text =>
    [...options, ...MODEL_OPTIONS].reduce((told, [inFile, option]) => told?.replace(inFile, option) as Text, text);
  const told = problems.map(({ message, expected, fix }): Problem => {
    const place = message.startsWith(path) ? message.slice(path.length).replace(/^(:\d+)*: /, '') : message;
    return { message: `${command}: ${byOption(place)}`, expected: byOption(expected), fix: byOption(fix) };
  });
  // Several systems of the file stand for one option.
  return [...new Map(told.map((problem) => [JSON.stringify(problem), problem])).values()];
}

/** The options that {@link judgeModelOptions} adds, as commander keeps them. */
export const JUDGE_MODEL_OPTIONS = ['baseUrl', 'apiKeyEnv', 'price', 'usd'] as const;

/** The options beside `--model` that {@link judgeModel} reads. @param spender whose cost `--usd` limits */
export function judgeModelOptions(command: Command, spender: string): Command {
  return command
    .option('--base-url <url>', 'its OpenAI-compatible endpoint', 'https://api.openai.com/v1')
    .option('--api-key-env <variable>', 'the environment variable with its key')
    .option('--price <in,out>', 'US dollars per million tokens, such as 0.15,0.60; or free', 'free')
    .option('--usd <limit>', `what ${spender} may cost at most`, '5');
}

/** That they say nothing without the option that names the model, as `refuseIdleOptions` takes it. */
export const needsModel = (named: string): Record<string, string> =>
  Object.fromEntries(JUDGE_MODEL_OPTIONS.map((name) => [name, named]));

/** Where {@link judgeModel} puts them. */
const MODEL_OPTIONS: MadeCampaign['options'] = [
  [/models\.\w+\.base_url|base_url:/g, '--base-url'],
  [/models\.\w+\.api_key_env|api_key_env:/g, '--api-key-env'],
  [/api_key_env/g, '--api-key-env'],
  [/models\.\w+\.name/g, '--model'],
  [/models\.\w+\.price(\.\w+)?/g, '--price'],
  [/budget\.usd/g, '--usd'],
];

/** The model that `--model` names, called `judge` in the campaign, and what it may cost. */
export function judgeModel(options: Record<string, unknown>): { models: { judge: object }; budget: object } {
  const price = String(options.price);
  const [input, output] = price.split(',');
  return {
    models: {
      judge: {
        ...{ name: options.model, base_url: options.baseUrl },
        ...(options.apiKeyEnv === undefined ? {} : { api_key_env: options.apiKeyEnv }),
        price: output === undefined ? price : { input: asNumber(input), output: asNumber(output) },
      },
    },
    budget: { usd: asNumber(options.usd) },
  };
}

/** A number where it is one; else what was written, for the check of the file to refuse. */
export function asNumber(written: unknown): unknown {
  return typeof written === 'string' && /^-?\d+(\.\d+)?$/.test(written.trim()) ? Number(written) : written;
}
