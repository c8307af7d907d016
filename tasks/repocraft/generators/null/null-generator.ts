import type { Generator } from '../generator.js';

/** A package with nothing in it: whatever it scores above zero is a defect of the harness. */
export const nullGenerator: Generator = {
  needsModel: false,
  needsPath: false,
  phase: 'grade',
  description: 'an empty package; must pass nothing',
  provenance: 'generated',
  make: () => Promise.resolve({ content: new Map([['candidate/__init__.py', new Uint8Array(0)]]), note: null }),
};
