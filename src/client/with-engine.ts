import type { Engine } from './engine.js';
import type { Context } from './context.js';
import type { Connection } from './connection.js';

/** Runs a command's work with a connection to Temporal (`openEngine`), and closes it after it. */
export async function withEngine<Result>(
  context: Context,
  connection: Connection,
  work: (engine: Engine) => Promise<Result>,
  patience: { deadlineMs?: number } = {},
): Promise<Result> {
  const { openEngine } = await import('./open-engine.js');
  const { engine, close } = await openEngine(context, connection, patience);
  try {
    return await work(engine);
  } finally {
    await close();
  }
}
