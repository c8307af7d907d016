import type { SandboxResult } from '../contract/sandbox-result.js';
import type { SandboxRun } from '../ports/sandbox.js';
import type { StageContext } from '../suite/stage.js';
import { createMeteredEndpoint, type EndpointCounts } from './metered-endpoint.js';
import { startProgramClock } from './program-clock.js';

/** The port of the container's loopback behind which the model stands. */
const MODEL_PORT = 4180;

/** A program that is to be run with a model of its own. */
export interface Program extends Pick<
  SandboxRun,
  'image' | 'command' | 'files' | 'mounts' | 'take' | 'limits' | 'env'
> {
  /** Key into the campaign's `models`, and what it is called behind the door. */
  model: string;
  /** That it may run, those not counted in which it waits for its model. */
  wallSeconds: number;
  /** Name and version of how it is asked, part of the key of its calls. */
  prompt: string;
}

/** How a program ended, with what it left. */
export interface ProgramEnd {
  result: SandboxResult;
  /** Why it was told to end; null where it ended by itself. */
  ended: 'money' | 'seconds' | null;
  calls: EndpointCounts;
}

/** What a program finds in its environment: the names that clients of OpenAI's API and LiteLLM read. The key is none. */
function environmentOf(model: string): Record<string, string> {
  const url = `http://127.0.0.1:${MODEL_PORT}/v1`;
  return { OPENAI_BASE_URL: url, OPENAI_API_BASE: url, OPENAI_API_KEY: 'none', DURABENCH_MODEL: model };
}

/**
 * Runs a program in a container whose only service is its model, metered. Begun again after a crash it is answered from the
 * record while it asks the same. Where its money or its time is spent it is told to end, and what is there then counts.
 * @throws what the ledger, the provider or the sandbox throws, other than the program's own limits
 */
export async function runProgram(context: StageContext, program: Program): Promise<ProgramEnd> {
  const { model, wallSeconds, prompt, env, ...run } = program;
  const [finish, failed] = [new AbortController(), new AbortController()];
  let ended: ProgramEnd['ended'] = null;
  const end = (why: NonNullable<ProgramEnd['ended']>): void => {
    ended ??= why;
    finish.abort();
  };
  const clock = startProgramClock(wallSeconds, () => end('seconds'));
  const signal = AbortSignal.any([context.signal, failed.signal]);
  const endpoint = createMeteredEndpoint({
    model,
    ask: (body, { occurrence, maxOutputTokens }) =>
      clock.waiting(() =>
        context.ask({
          ...{ purpose: 'generate', ordinal: occurrence, prompt, messages: [], body, model, isUrgent: true },
          ...(maxOutputTokens === undefined ? {} : { maxOutputTokens }),
        }),
      ),
    onSpent: () => end('money'),
    onFailure: (error) => failed.abort(error),
    signal,
  });
  try {
    const result = await context.sandbox.run({
      ...run,
      env: { ...environmentOf(model), ...env },
      doors: [{ port: MODEL_PORT, serve: (connection) => endpoint.serve(connection) }],
      finish: finish.signal,
      poolKey: null,
      owner: { campaignId: context.campaign.id, ownerId: context.owner.id },
      signal,
      onStart: () => clock.start(),
      onProgress: () => context.heartbeat(),
    });
    return { result, ended, calls: endpoint.counts() };
  } finally {
    clock.stop();
  }
}
