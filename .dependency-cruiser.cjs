/**
 * Who may import whom (docs/concepts/architecture.md, "Imports"): one rule a folder, each a list of what is allowed;
 * anything else inside the tree is refused. Libraries are restricted where a vendor must stay in its adapter.
 */
const allow = (name, from, to, extra = {}) => ({
  name,
  severity: 'error',
  comment: `${name}: may import only ${to.join(', ')}`,
  from: { path: from, pathNot: ['\\.test\\.ts$', '\\.conformance\\.ts$'] },
  to: { path: '^(src|workflows|activities|tasks|tests|bench)/', pathNot: to, ...extra },
});

const vendor = (name, library, folders) => ({
  name: `vendor-${name}`,
  severity: 'error',
  comment: `${name} stays in its adapter`,
  from: { path: '^(src|workflows|activities|tasks)/', pathNot: [...folders, '\\.test\\.ts$'] },
  to: { path: `node_modules/${library}/` },
});

module.exports = {
  forbidden: [
    {
      name: 'no-cycles',
      severity: 'error',
      from: {},
      to: { circular: true },
    },
    {
      name: 'declared-dependencies',
      severity: 'error',
      comment: 'what is imported stands in package.json: a dependency of a dependency may go away with it',
      from: {},
      to: { dependencyTypes: ['npm-no-pkg', 'npm-unknown', 'unknown'] },
    },
    {
      name: 'no-dev-dependencies',
      severity: 'error',
      comment: 'what a user runs needs no development dependency',
      from: {
        path: '^(src|workflows|activities|tasks)/',
        pathNot: ['\\.test\\.ts$', '\\.conformance\\.ts$'],
      },
      to: { dependencyTypes: ['npm-dev'], dependencyTypesNot: ['type-only'] },
    },
    allow('contract', '^src/contract/', ['^src/contract/']),
    allow('domain', '^src/domain/', ['^src/(contract|domain)/']),
    allow('ports', '^src/ports/', ['^src/(contract|ports)/']),
    allow('suite-contract', '^src/suite/(?!registry)', ['^src/(contract|ports|suite)/']),
    allow('suite-kit', '^src/suite-kit/', ['^src/(agents|contract|domain|ports|suite|suite-kit)/']),
    allow('agents', '^src/agents/', [
      '^src/(agents|contract|domain|ports|suite)/',
      '^src/suite-kit/fenced-blocks\\.ts$',
    ]),
    allow('suite-registry', '^src/suite/registry', [
      '^src/suite/(suite|registry-packages)\\.ts$',
      '^src/(config|contract|domain)/',
      '^tasks/suites\\.ts$',
      '^workflows/index\\.ts$',
    ]),
    allow('limiter', '^src/limiter/', ['^src/(contract|domain|ports|limiter)/']),
    allow('ledger', '^src/ledger/', ['^src/(contract|domain|ports|ledger|limiter)/']),
    allow('config', '^src/config/', ['^src/(contract|domain|config)/', '^src/suite/']),
    allow('fakes', '^src/fakes/', ['^src/(contract|domain|ports|fakes|suite)/']),
    allow('report', '^src/report/', ['^src/(contract|domain|report|ports|suite)/']),
    // A candidate that is exported is read as suites read it.
    allow('client', '^src/client/', [
      '^src/(client|contract|domain|ports|suite|config|report|stack|adapters)/',
      '^src/suite-kit/tar-entries\\.ts$',
    ]),
    // What may be done to a campaign stands in the client; a command has no ports, and no rules of campaigns.
    allow('view', '^src/view/', ['^src/(view|client|contract|report|suite)/', '^src/domain/(failure|text)/']),
    allow('cli', '^src/cli/(?!commands/machine/)', [
      '^src/(cli|client|contract|suite|config|report|view)/',
      '^src/domain/(failure|text)/',
    ]),
    allow('cli-machine', '^src/cli/commands/machine/', [
      '^src/(cli|client|contract|suite|config|report|stack|fakes)/',
      '^src/domain/(failure|text)/',
    ]),
    allow('workflows', '^workflows/', [
      '^workflows/',
      '^activities/',
      '^src/(contract|domain)/',
      '^src/agents/loop/(run-agent|turns)\\.ts$',
      '^tasks/(plans|workflows)\\.ts$',
    ]),
    {
      name: 'suite-workflows',
      severity: 'error',
      comment: 'workflow code of a suite runs in the sandbox: the kit, pure types and rules, its own pure files',
      from: { path: '^tasks/.+/workflow/' },
      to: {
        pathNot: [
          '^workflows/kit/',
          '^src/(contract|domain)/',
          '^tasks/.+/(workflow|graph)/',
          'node_modules/@temporalio/workflow/',
        ],
        dependencyTypesNot: ['type-only'],
      },
    },
    {
      name: 'workflows-activities-as-types',
      severity: 'error',
      from: { path: '^workflows/' },
      to: { path: '^activities/', dependencyTypesNot: ['type-only'] },
    },
    allow('activities', '^activities/', ['^activities/', '^src/(contract|domain|ports|suite)/']),
    ...['openai', 'docker', 'onnx', 'postgres', 'blobs', 'temporal'].map((adapter) =>
      allow(`adapter-${adapter}`, `^src/adapters/${adapter}/`, [
        `^src/adapters/${adapter}/`,
        '^src/(contract|domain|ports)/',
      ]),
    ),
    allow('suite', '^tasks/([^/]+)/', [
      '^tasks/$1/',
      '^workflows/kit/',
      '^src/(agents|contract|domain|ports|suite|suite-kit)/',
    ]),
    {
      name: 'pure-suite-files',
      severity: 'error',
      comment:
        'suite.ts, plan.ts and dataset/plan.ts run in the workflow sandbox: contract, domain and the loop of an agent only, no Node built-in',
      from: { path: '^tasks/[^/]+/(suite|plan|dataset/plan)\\.ts$' },
      to: {
        pathNot: [
          '^src/(contract|domain)/',
          '^src/agents/loop/run-agent\\.ts$',
          '^tasks/[^/]+/(suite|plan|dataset/plan)\\.ts$',
        ],
        dependencyTypesNot: ['type-only'],
      },
    },
    {
      name: 'nobody-imports-worker',
      severity: 'error',
      from: { path: '^(src|workflows|activities|tasks)/', pathNot: '^src/worker/' },
      to: { path: '^src/worker/' },
    },
    vendor('dockerode', 'dockerode', ['^src/adapters/docker/']),
    vendor('openai', 'openai', ['^src/adapters/openai/']),
    vendor('pg', '(pg|kysely)', ['^src/adapters/postgres/', '^src/stack/']),
    vendor('onnx', '(onnxruntime-node|@huggingface/tokenizers)', ['^src/adapters/onnx/']),
    vendor('lru-cache', 'lru-cache', ['^src/adapters/(memory|onnx)/']),
    vendor('temporal-worker', '@temporalio/(worker|client)', ['^src/(adapters/temporal|worker|stack)/']),
    vendor('temporal-activity', '@temporalio/activity', ['^activities/', '^src/worker/']),
    vendor('temporal-workflow', '@temporalio/workflow', ['^workflows/', '^tasks/.+/workflow/', '^src/worker/']),
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    // Authored tasks are data.
    exclude: { path: '^tasks/[^/]+/dataset/tasks/' },
    tsConfig: { fileName: 'tsconfig.json' },
    tsPreCompilationDeps: true,
    // Packages name their files by `exports`.
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['import', 'require', 'node', 'default', 'types'],
    },
  },
};
