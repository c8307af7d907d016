// The workflows that suites bring: their names stand in histories.
export * from './package-workflows.js';
export { zerorepo } from './repocraft/generators/zerorepo/workflow/zerorepo.js';
export { zerorepoModule } from './repocraft/generators/zerorepo/workflow/zerorepo-module.js';
export { zerorepoUnit } from './repocraft/generators/zerorepo/workflow/zerorepo-unit.js';
