import type { Engine } from './engine.js';
import type { Session } from './session.js';
import type { Workplace } from './workplace.js';

/** Runs a command's work with a connection to Temporal (`openEngine`), and closes it after it. */
export async function withEngine<Result>(
  session: Session,
  place: Workplace,
  work: (engine: Engine) => Promise<Result>,
  patience: { deadlineMs?: number } = {},
): Promise<Result> {
  const { openEngine } = await import('./open-engine.js');
  const { engine, close } = await openEngine(session, place, patience);
  try {
    return await work(engine);
  } finally {
    await close();
  }
}
