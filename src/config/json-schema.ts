import { jsonSchemaOf, type SchemaNode } from '../domain/shape/schema-node.js';
import { campaignFileSchema } from './schema.js';
import type { SuiteRules } from './suite-rules.js';

/** The schema of campaign files for editors: the common shape, and for each suite its own parts. */
export function campaignJsonSchema(suites: readonly SuiteRules[]): SchemaNode {
  const ids = suites.map((suite) => suite.manifest.id);
  return {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    title: 'Durabench campaign file',
    type: 'object',
    properties: { suite: { enum: ids, description: 'the benchmark' } },
    required: ['suite'],
    allOf: suites.map((suite) => ({
      if: { properties: { suite: { const: suite.manifest.id } } },
      then: suiteSchema(suite),
    })),
  };
}

function suiteSchema(suite: SuiteRules): SchemaNode {
  const whole = jsonSchemaOf(campaignFileSchema);
  const system = whole.properties?.systems?.items;
  const options = jsonSchemaOf(suite.schemas.options);
  const vote = jsonSchemaOf(suite.schemas.vote);
  return {
    ...whole,
    properties: {
      ...whole.properties,
      suite: { const: suite.manifest.id },
      dataset: jsonSchemaOf(suite.schemas.dataset),
      judge: jsonSchemaOf(suite.schemas.judge),
      systems: {
        ...whole.properties?.systems,
        items: {
          ...system,
          properties: {
            ...system?.properties,
            ...options.properties,
            generator: { enum: Object.keys(suite.generators), description: 'how the candidate is made' },
            vote: { anyOf: [vote, { type: 'null' }] },
            options,
          },
          additionalProperties: false,
        },
      },
    },
  };
}
