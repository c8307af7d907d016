import { describeCrashes } from './crash-matrix.conformance.js';

describeCrashes('repocraft');
