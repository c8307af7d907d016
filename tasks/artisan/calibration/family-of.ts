import type { SystemSpec } from '../../../src/contract/campaign.js';
import { optionsOf } from '../settings.js';
import { FAMILIES, type Family } from './families.js';

/** The family whose scripts a system makes; null for every other system. */
export function familyOf(system: Pick<SystemSpec, 'generator' | 'options'>): Family | null {
  if (system.generator !== 'derived') return null;
  return FAMILIES[optionsOf(system).family ?? ''] ?? null;
}
