import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { stringify } from 'yaml';
import type { Problem } from '../../contract/problem.js';
import { makeStateFolder } from '../../config/state-folder.js';
import { UserError } from '../../domain/failure/user-error.js';
import type { Context } from '../context.js';
import type { CheckedCampaign } from './read-campaign.js';

/** A campaign that is made of options instead of a file of the user's. */
export interface MadeCampaign {
  command: 'grade' | 'calibrate' | 'describe' | 'init';
  /** Name of the file, without its ending. */
  file: string;
  campaign: object;
  /** What an option became in the file, as problems name it, and the option. */
  options: readonly (readonly [inFile: RegExp, option: string])[];
}

/** A model that such a campaign asks, and what it may cost. What is no number where one belongs is refused with the rest. */
export interface MadeModel {
  name: string;
  /** Its OpenAI-compatible endpoint. */
  baseUrl: string;
  /** The environment variable with its key; left out for an endpoint without keys. */
  apiKeyEnv?: string | undefined;
  /** Dollars per million tokens, or `free`. */
  price: string | { input: number | string; output: number | string };
  /** Dollars it may cost at most. */
  usd: number | string;
}

/**
 * Writes the campaign to a file beside the reports (it can be run again, and says what was asked), and reads it as any other.
 * @throws UserError in the words of the options: the file is none of the user's
 */
export async function readMadeCampaign(context: Context, made: MadeCampaign): Promise<CheckedCampaign> {
  const { readCampaign } = await import('./read-campaign.js');
  const path = join(makeStateFolder(context.environment().stateDir, made.command), `${made.file}.yaml`);
  await writeFile(path, stringify(made.campaign));
  try {
    return await readCampaign(context, path);
  } catch (error) {
    if (!(error instanceof UserError)) throw error;
    throw new UserError(error.kind, toldByOptions(error.problems, path, made));
  }
}

/** The model in such a file, called `judge`, with the limit of the campaign. */
export function madeModel({ name, baseUrl, apiKeyEnv, price, usd }: MadeModel): {
  models: { judge: object };
  budget: object;
} {
  const key = apiKeyEnv === undefined ? {} : { api_key_env: apiKeyEnv };
  return { models: { judge: { name, base_url: baseUrl, ...key, price } }, budget: { usd } };
}

/** Where {@link madeModel} puts options. */
const MODEL_OPTIONS: MadeCampaign['options'] = [
  [/models\.\w+\.base_url|base_url:/g, '--base-url'],
  [/models\.\w+\.api_key_env|api_key_env:/g, '--api-key-env'],
  [/api_key_env/g, '--api-key-env'],
  [/models\.\w+\.name/g, '--model'],
  [/models\.\w+\.price(\.\w+)?/g, '--price'],
  [/budget\.usd/g, '--usd'],
];

/** Problems of a file that was made of options, in the words of those. @param path of the file, as the problems name it */
export function toldByOptions(
  problems: readonly Problem[],
  path: string,
  { command, options }: Pick<MadeCampaign, 'command' | 'options'>,
): Problem[] {
  const byOption = <Text extends string | undefined>(text: Text): Text =>
    [...options, ...MODEL_OPTIONS].reduce((told, [inFile, option]) => told?.replace(inFile, option) as Text, text);
  const told = problems.map(({ message, expected, fix }): Problem => {
    const place = message.startsWith(path) ? message.slice(path.length).replace(/^(:\d+)*: /, '') : message;
    return { message: `${command}: ${byOption(place)}`, expected: byOption(expected), fix: byOption(fix) };
  });
  // Several systems of the file stand for one option.
  return [...new Map(told.map((problem) => [JSON.stringify(problem), problem])).values()];
}
