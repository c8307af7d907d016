import type { Command } from 'commander';
import type { MadeModel } from '../../client/plans/made-campaign.js';

/** The options that {@link modelOptions} adds, as commander keeps them. */
export const MODEL_OPTIONS = ['baseUrl', 'apiKeyEnv', 'price', 'usd'] as const;

/** The options beside `--model` that {@link readModel} reads. @param spender whose cost `--usd` limits */
export function modelOptions(command: Command, spender: string): Command {
  return command
    .option('--base-url <url>', 'its OpenAI-compatible endpoint', 'https://api.openai.com/v1')
    .option('--api-key-env <variable>', 'the environment variable with its key')
    .option('--price <in,out>', 'US dollars per million tokens, such as 0.15,0.60; or free', 'free')
    .option('--usd <limit>', `what ${spender} may cost at most`, '5');
}

/** That they say nothing without the option that names the model, as `rejectUnusedOptions` takes it. */
export const needsModel = (named: string): Record<string, string> =>
  Object.fromEntries(MODEL_OPTIONS.map((name) => [name, named]));

/** The model that an option names, and what it may cost; undefined where it is left out. */
export function readModel(name: unknown, options: Record<string, unknown>): MadeModel | undefined {
  if (typeof name !== 'string') return undefined;
  const price = String(options.price);
  const [input, output] = price.split(',');
  return {
    ...{ name, baseUrl: String(options.baseUrl) },
    ...(typeof options.apiKeyEnv === 'string' && { apiKeyEnv: options.apiKeyEnv }),
    price: output === undefined ? price : { input: asNumber(input ?? ''), output: asNumber(output) },
    usd: asNumber(String(options.usd)),
  };
}

/** A number where it is one; else what was written, for the check of the file to refuse. */
export function asNumber(written: string): number | string {
  return /^-?\d+(\.\d+)?$/.test(written.trim()) ? Number(written) : written;
}
