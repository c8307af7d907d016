import type { CampaignSpec, SystemSpec } from '../../src/contract/campaign.js';
import { votingModels, voteSettings } from './settings.js';

/** A sentence for each system that is voted on by a model that also made its candidates: such votes flatter. */
export function ownVotes(spec: CampaignSpec): string[] {
  return spec.systems.flatMap((system) => {
    const makers = namesOf(spec, [system.model, ...Object.values(system.purposes)]);
    const voters = namesOf(spec, votesOf(spec, system));
    const both = voters.filter((name) => makers.includes(name));
    if (both.length === 0) return [];
    return [`${system.id} is voted on by ${both.join(', ')}, which also made it: let another model vote`];
  });
}

const votesOf = (spec: CampaignSpec, system: SystemSpec): string[] => {
  const settings = voteSettings(spec, system);
  return settings.voter === 'model' ? votingModels(settings) : [];
};

/** The names the providers know. */
const namesOf = ({ models }: CampaignSpec, keys: readonly (string | null)[]): string[] => [
  ...new Set(keys.flatMap((key) => models[key ?? '']?.name ?? [])),
];
