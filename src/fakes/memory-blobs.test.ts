import { blobsConformance } from '../ports/conformance/blobs.conformance.js';
import { createMemoryBlobs } from './memory-blobs.js';

blobsConformance('in memory', async () => createMemoryBlobs());
