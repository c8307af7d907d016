import { pacingConformance } from '../ports/conformance/pacing.conformance.js';
import { createMemoryPacing } from './memory-pacing.js';

const pacing = createMemoryPacing();

pacingConformance('the pacing in memory', () => pacing);
