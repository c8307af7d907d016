export { batch } from './batch.js';
export { campaign } from './campaign.js';
export { dataset } from './dataset.js';
export { generation } from './generation.js';
export { notification } from './notification.js';
export { trial } from './trial.js';
export * from '../tasks/workflows.js';
