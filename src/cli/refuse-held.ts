import { CommandProblem } from './command-problem.js';
import type { Engine } from './engine.js';
import type { Workplace } from './workplace.js';

/**
 * Two servers must not run one campaign by accident.
 * @throws CommandProblem while a live worker of another server may still run it
 */
export async function refuseHeld(
  { records }: Workplace,
  engine: Engine,
  { id, verb }: { id: string; verb: string },
): Promise<void> {
  const holder = await records.holder({ campaignId: id, server: await engine.server() });
  if (holder === null) return;
  const { instance, host, pid, livesUntil } = holder;
  throw new CommandProblem({
    what: `campaign ${id} is held by another server: its worker ${instance} (${host}, process ${pid}) is alive until ${livesUntil} at least`,
    allowed: `${verb} where it runs, or on another server once that worker is gone`,
    remedy: `take it over, nothing that was received is paid again: durabench resume ${id} --take-over`,
  });
}
