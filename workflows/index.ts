export { batch } from './batch.js';
export { campaign } from './campaign.js';
export { generation } from './generation.js';
export { trial } from './trial.js';
