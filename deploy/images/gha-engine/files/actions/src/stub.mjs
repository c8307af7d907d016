import * as core from '@actions/core';
import { reported } from './report.mjs';

/* global NAME, OUTPUTS: defined where it is bundled */
/** An action that would act outside: what it was asked for is recorded, and its outputs are fixed. */
const inputs = Object.entries(process.env)
  .filter(([name, value]) => name.startsWith('INPUT_') && value !== '')
  .map(([name, value]) => `${name.slice('INPUT_'.length).toLowerCase()}=${value}`)
  .sort();
await reported(NAME, inputs, async () => {
  for (const [name, value] of Object.entries(OUTPUTS)) core.setOutput(name, value);
});
