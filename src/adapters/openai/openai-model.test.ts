import { modelConformance } from '../../ports/conformance/model.conformance.js';
import { createOpenAiModel } from './openai-model.js';

modelConformance('the openai adapter', (readKey) => createOpenAiModel({ readKey }));
