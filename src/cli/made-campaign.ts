import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Command } from 'commander';
import { stringify } from 'yaml';
import type { Session } from './session.js';

/** Writes the campaign that a command's options describe to a file beside the reports: it can be run again, and says what was asked. */
export async function writeCampaign(
  session: Session,
  command: string,
  { file, campaign }: { file: string; campaign: object },
): Promise<string> {
  const folder = join(session.environment().stateDir, command);
  const path = join(folder, `${file}.yaml`);
  await mkdir(folder, { recursive: true });
  await writeFile(path, stringify(campaign));
  return path;
}

/** The options beside `--model` that {@link judgeModel} reads. @param spender whose cost `--usd` limits */
export function judgeModelOptions(command: Command, spender: string): Command {
  return command
    .option('--base-url <url>', 'its OpenAI-compatible endpoint', 'https://api.openai.com/v1')
    .option('--api-key-env <variable>', 'the environment variable with its key')
    .option('--price <in,out>', 'US dollars per million tokens, such as 0.15,0.60; or free', 'free')
    .option('--usd <limit>', `what ${spender} may cost at most`, '5');
}

/** The model that `--model` names, called `judge` in the campaign, and what it may cost. */
export function judgeModel(options: Record<string, unknown>): { models: object; budget: object } {
  const [input, output] = String(options.price).split(',').map(Number);
  return {
    models: {
      judge: {
        ...{ name: options.model, base_url: options.baseUrl },
        ...(options.apiKeyEnv === undefined ? {} : { api_key_env: options.apiKeyEnv }),
        price: options.price === 'free' ? 'free' : { input, output },
      },
    },
    budget: { usd: Number(options.usd) },
  };
}
