import { readFile } from 'node:fs/promises';
import type { CampaignSpec, ModelSpec } from '../../contract/campaign.js';
import { UserError } from '../../domain/failure/user-error.js';
import { sha256Hex } from '../../domain/text/content-hash.js';
import type { Context } from '../context.js';

/** Of state files and logs: the rules by the hash of their path, and the port, so that a campaign finds its own again. */
const NAME = 'mock-model-';

/**
 * Where the scripted model of each file of rules is served, or will be: the same for as long as its port is free. One after the
 * other: whether a port is free is found by taking it for a moment.
 */
export async function scriptedUrls(context: Context, rulesPaths: ReadonlySet<string>): Promise<Map<string, string>> {
  const { stateDir } = context.environment();
  const [{ detachedServer, detachedServers }, { choosePort }] = await Promise.all([
    import('../../stack/servers/detached-server.js'),
    import('../../stack/servers/ports.js'),
  ]);
  const ports = new Map<string, number>();
  for (const rules of rulesPaths) {
    const beginning = nameOf(rules);
    const served = detachedServers(stateDir, beginning).flatMap((name) => detachedServer(stateDir, name)?.port ?? []);
    const free = { preferred: [], seed: `${beginning}${stateDir}`, avoid: [...ports.values()] };
    ports.set(rules, served[0] ?? (await choosePort(free)));
  }
  return new Map([...ports].map(([rules, port]) => [rules, `http://127.0.0.1:${port}/v1`]));
}

/**
 * Has the scripted models of a campaign served where the campaign asks them, detached: it goes on when this command is gone.
 * Rules that were changed since are served anew. {@link stopScriptedModels} ends them, as `durabench down` does.
 * @throws UserError where one cannot be served
 */
export async function serveScriptedModels(context: Context, { models }: Pick<CampaignSpec, 'models'>): Promise<void> {
  const scripted = new Map(
    Object.values(models).flatMap(({ rules, baseUrl }) => (rules === undefined ? [] : [[baseUrl, rules] as const])),
  );
  for (const [baseUrl, rules] of scripted) await serve(context, { baseUrl, rules });
}

async function serve(
  context: Context,
  { baseUrl, rules }: Required<Pick<ModelSpec, 'baseUrl' | 'rules'>>,
): Promise<void> {
  const { stateDir } = context.environment();
  const { detachedServer, startDetachedServer, stopDetachedServer } =
    await import('../../stack/servers/detached-server.js');
  const port = Number(new URL(baseUrl).port);
  const name = `${nameOf(rules)}${port}`;
  const of = sha256Hex(await readFile(rules).catch(() => ''));
  if (detachedServer(stateDir, name)?.of === of) return;
  await stopDetachedServer(stateDir, name);
  const started = await startDetachedServer({
    ...{ stateDir, packageRoot: context.packageRoot, name, preferred: [port], of },
    // No other port would do: it is the one that the campaign asks.
    args: () => ['mock-model', rules, '--port', String(port)],
  });
  if ('said' in started)
    throw new UserError('environment', {
      message: `the scripted model of ${rules} did not start; it said last: ${started.said.join(' / ')}`,
      expected: `readable rules, and port ${port} of this machine free`,
      fix: 'correct what it names, and run the campaign file again',
    });
  context.notify({ type: 'step', step: 'model', message: `scripted model at ${baseUrl}` });
}

/** @returns whether one was running */
export async function stopScriptedModels(stateDir: string): Promise<boolean> {
  const { detachedServers, stopDetachedServer } = await import('../../stack/servers/detached-server.js');
  const ends = detachedServers(stateDir, NAME).map((name) => stopDetachedServer(stateDir, name));
  return (await Promise.all(ends)).some(Boolean);
}

const nameOf = (rulesPath: string): string => `${NAME}${sha256Hex(rulesPath).slice(0, 12)}-`;
