import { spawn } from 'node:child_process';
import type { NotifySpec } from '../../contract/campaign.js';
import { plainVariables } from '../../domain/program-variables.js';
import { plainLine } from '../../domain/text/plain-text.js';
import type { Delivery, Messenger } from '../../ports/notifications.js';

/** Of one try, whatever the other side does. */
const LIMIT_MS = 30_000;
/** Characters of what a command said. */
const SAID_LIMIT = 300;
/** Answers after which another try may do. */
const PASSING = [408, 409, 421, 425, 429];

/** Webhooks by HTTP POST, commands on this machine. Secrets are read from variables by their names, here alone. */
export function createMessenger(parts: {
  variable: (name: string) => string | undefined;
  limitMs?: number;
}): Messenger {
  const { variable, limitMs = LIMIT_MS } = parts;
  return {
    send: async (target, message) => {
      const { command } = target;
      if (command !== undefined) return run(command, message.body, { variable, limitMs });
      const missing = [target.webhookEnv, target.authorizationEnv].find(
        (name) => name !== undefined && variable(name) === undefined,
      );
      if (missing !== undefined)
        return failed(
          `the environment variable ${missing} is not set where the worker runs: export it, then durabench up`,
        );
      return post(target, message, { variable, limitMs });
    },
  };
}

type Parts = Required<Parameters<typeof createMessenger>[0]>;

const failed = (problem: string, isFinal = false): Delivery => ({ delivered: false, problem, isFinal });

async function post(
  { webhook, webhookEnv, authorizationEnv }: NotifySpec,
  { body, key }: { body: string; key: string },
  { variable, limitMs }: Parts,
): Promise<Delivery> {
  const address = webhook ?? variable(webhookEnv ?? '') ?? '';
  if (!/^https?:/.test(address) || !URL.canParse(address)) return failed(`${webhookEnv} holds no http(s) address`);
  const authorization = authorizationEnv === undefined ? undefined : variable(authorizationEnv);
  const signal = AbortSignal.timeout(limitMs);
  try {
    const { status, body: answer } = await fetch(address, {
      ...{ method: 'POST', body, signal },
      // A secret is for the address it was given for.
      redirect: 'manual',
      headers: {
        ...{ 'content-type': 'application/json', 'user-agent': 'durabench', 'idempotency-key': key },
        ...(authorization !== undefined && { authorization }),
      },
    });
    await answer?.cancel().catch(() => undefined); // nothing of it is read
    if (status >= 200 && status < 300) return { delivered: true };
    return failed(`it answered ${status}`, status < 500 && !PASSING.includes(status));
  } catch (error) {
    if (signal.aborted) return failed(`it did not answer within ${limitMs / 1000} s`);
    // Of the cause the code alone: messages may hold the address.
    const { cause } = error as { cause?: { code?: string } };
    return failed(`it cannot be reached (${cause?.code ?? 'no connection'})`);
  }
}

function run([program = '', ...rest]: readonly string[], body: string, parts: Parts): Promise<Delivery> {
  const { variable, limitMs } = parts;
  return new Promise((resolve) => {
    const child = spawn(program, rest, { env: plainVariables(variable), stdio: ['pipe', 'ignore', 'pipe'] });
    let said = '';
    const end = (delivery: Delivery): void => {
      clearTimeout(timer);
      // Who left something running behind holds the pipe.
      child.stderr.destroy();
      resolve(delivery);
    };
    const timer = setTimeout(() => {
      child.kill('SIGKILL');
      end(failed(`it did not end within ${limitMs / 1000} s`));
    }, limitMs);
    child.stderr.on('data', (bytes: Buffer) => (said = `${said}${bytes.toString()}`.slice(-SAID_LIMIT)));
    child.once('error', ({ message }) => end(failed(`it cannot be started (${message})`)));
    child.once('exit', (code, signal) => {
      const told = said.trim() === '' ? '' : `: ${plainLine(said.trim(), SAID_LIMIT)}`;
      end(code === 0 ? { delivered: true } : failed(`it ended with ${code ?? signal ?? 'nothing'}${told}`));
    });
    child.stdin.on('error', () => undefined); // whoever does not read it need not
    child.stdin.end(`${body}\n`);
  });
}
