import { stringify } from 'yaml';
import type { CampaignSpec } from '../contract/campaign.js';

/**
 * A campaign spec as YAML for people, with every default filled in. Keys are never in a spec (only the names of their
 * variables); credentials inside a base URL are replaced.
 */
export function describeSpec(spec: CampaignSpec): string {
  const models = Object.entries(spec.models).map(([key, model]) => [
    key,
    { ...model, baseUrl: redactUrl(model.baseUrl) },
  ]);
  return stringify({ ...spec, models: Object.fromEntries(models) as object });
}

/** The URL without user, password and query values. */
export function redactUrl(text: string): string {
  if (!URL.canParse(text)) return '[not a URL]';
  const url = new URL(text);
  if (url.username !== '') url.username = 'redacted';
  if (url.password !== '') url.password = 'redacted';
  for (const name of [...url.searchParams.keys()]) url.searchParams.set(name, 'redacted');
  return url.toString().replace(/\/$/, '');
}
