/**
 * Search attributes a workflow gets at its close, by Temporal's type names. Names are in histories and saved queries:
 * never rename. (`src/stack/servers/namespace.ts` registers them; a test compares the two lists.)
 */
export const SEARCH_ATTRIBUTE_TYPES = {
  DurabenchCampaign: 'KEYWORD',
  DurabenchSuite: 'KEYWORD',
  DurabenchSystem: 'KEYWORD',
  DurabenchTask: 'KEYWORD',
  DurabenchOutcome: 'KEYWORD',
  DurabenchBlame: 'KEYWORD',
  DurabenchCostUsd: 'DOUBLE',
} as const;
