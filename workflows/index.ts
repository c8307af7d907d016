export { batch } from './batch.js';
export { campaign } from './campaign.js';
export { dataset } from './dataset.js';
export { generation } from './generation.js';
export { trial } from './trial.js';
export { zerorepo } from './zerorepo.js';
export { zerorepoModule } from './zerorepo-module.js';
export { zerorepoUnit } from './zerorepo-unit.js';
