import type { Command } from 'commander';
import type { MadeModel } from '../../client/plans/made-campaign.js';
import { UserError } from '../../domain/failure/user-error.js';

/** The options that {@link modelOptions} adds, as commander keeps them. */
export const MODEL_OPTIONS = ['baseUrl', 'apiKeyEnv', 'price', 'usd'] as const;

/** The options beside `--model` that {@link readModel} reads. @param spender whose cost `--usd` limits */
export function modelOptions(command: Command, spender: string): Command {
  return command
    .option('--base-url <url>', 'its OpenAI-compatible endpoint', 'https://api.openai.com/v1')
    .option('--api-key-env <variable>', 'the environment variable with its key')
    .option('--price <in,out>', 'US dollars per million tokens, such as 0.15,0.60; or free, as on this machine')
    .option('--usd <limit>', `what ${spender} may cost at most`, '5');
}

/** That they say nothing without the option that names the model, as `rejectUnusedOptions` takes it. */
export const needsModel = (named: string): Record<string, string> =>
  Object.fromEntries(MODEL_OPTIONS.map((name) => [name, named]));

/**
 * The model that an option names, and what it may cost; undefined where it is left out.
 * @throws UserError where an endpoint elsewhere has no price: taken for free, no budget would hold
 */
export function readModel(name: unknown, options: Record<string, unknown>): MadeModel | undefined {
  if (typeof name !== 'string') return undefined;
  const baseUrl = String(options.baseUrl);
  const price = typeof options.price === 'string' ? options.price : usualPrice(name, baseUrl);
  const [input, output] = price.split(',');
  return {
    ...{ name, baseUrl },
    ...(typeof options.apiKeyEnv === 'string' && { apiKeyEnv: options.apiKeyEnv }),
    price: output === undefined ? price : { input: asNumber(input ?? ''), output: asNumber(output) },
    usd: asNumber(String(options.usd)),
  };
}

const ON_THIS_MACHINE = new Set(['localhost', '127.0.0.1', '[::1]']);

function usualPrice(name: string, baseUrl: string): string {
  if (!URL.canParse(baseUrl) || ON_THIS_MACHINE.has(new URL(baseUrl).hostname)) return 'free';
  throw new UserError('usage', {
    message: `no --price of ${name}: what calls at ${new URL(baseUrl).host} cost would not be counted, and no budget would hold`,
    expected: '--price IN,OUT in US dollars per million tokens, or --price free',
    fix: 'add the prices of your provider, such as --price 0.15,0.60',
  });
}

/** A number where it is one; else what was written, for the check of the file to refuse. */
export function asNumber(written: string): number | string {
  return /^-?\d+(\.\d+)?$/.test(written.trim()) ? Number(written) : written;
}
