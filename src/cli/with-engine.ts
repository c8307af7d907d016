import type { Engine } from './engine.js';
import type { Session } from './session.js';
import type { Workplace } from './workplace.js';

/** Runs a command's story with a connection to Temporal, and closes it after it. */
export async function withEngine<Result>(
  session: Session,
  place: Workplace,
  story: (engine: Engine) => Promise<Result>,
): Promise<Result> {
  const { openEngine } = await import('./open-engine.js');
  const { engine, close } = await openEngine(session, place);
  try {
    return await story(engine);
  } finally {
    await close();
  }
}
