import type { SystemSpec } from '../../contract/campaign.js';
import type { GenerationRow } from '../../ports/records.js';
import type { GenerationGraph } from '../../suite/generation.js';
import type { Connection } from '../connection.js';
import { campaignNamed } from './campaign-named.js';
import { UserError } from '../../domain/failure/user-error.js';

/** A generation whose plan is a graph. */
export interface GenerationWithGraph {
  row: GenerationRow;
  system: SystemSpec;
  graph: GenerationGraph;
}

/** Generations of a campaign that make a graph, in plan order. */
export async function generationsWithGraph(connection: Connection, campaign: string): Promise<GenerationWithGraph[]> {
  const { suite: name, spec } = await connection.records.campaign(campaign);
  const suite = await connection.suiteNamed(name);
  const planning = spec.systems.flatMap((system) => {
    const graph = suite.generationGraph?.(system);
    return graph === undefined ? [] : [{ system, graph }];
  });
  if (planning.length === 0) return [];
  return (await connection.records.generations(campaign)).flatMap((row) =>
    planning.filter(({ system }) => system.id === row.systemId).map((parts) => ({ row, ...parts })),
  );
}

/**
 * `<campaign>/<system>/<scope>/<repeat>`, a unique prefix of it, or a campaign with one generation that makes a graph.
 * @throws UserError when none or several match
 */
export async function generationNamed(connection: Connection, wanted: string): Promise<GenerationWithGraph> {
  const [head = '', ...tail] = wanted.split('/');
  const campaign = await campaignNamed(connection, head);
  const id = [campaign, ...tail].join('/');
  const all = await generationsWithGraph(connection, campaign);
  const matching = all.filter(({ row }) => row.id === id || row.id.startsWith(tail.length === 0 ? `${id}/` : id));
  const [found] = matching.filter(({ row }) => row.id === id).concat(matching.length === 1 ? matching : []);
  if (found !== undefined) return found;
  const known = (matching.length > 0 ? matching : all).map(({ row }) => row.id);
  throw new UserError('usage', {
    message:
      all.length === 0
        ? `no system of campaign ${campaign} plans with a graph`
        : matching.length === 0
          ? `campaign ${campaign} has no generation ${tail.join('/')} with a graph`
          : `${wanted} is the beginning of ${matching.length} generations`,
    expected: known.slice(0, 3).join(', ') || 'a campaign with a generator that plans by graph',
    fix: known[0] === undefined ? `durabench show ${campaign}` : `for example ${known[0]}`,
  });
}
