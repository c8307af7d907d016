import * as cache from '@actions/cache';
import * as core from '@actions/core';
import { reported } from './report.mjs';

/* global MODE: defined where it is bundled: main, post, restore or save */
const lines = (input) =>
  core
    .getInput(input)
    .split('\n')
    .map((line) => line.trim())
    .filter(Boolean);
// act's server lower-cases keys; the action itself compares this way too.
const isSame = (left, right) => left !== '' && left.localeCompare(right, undefined, { sensitivity: 'accent' }) === 0;
const isRestoring = MODE === 'main' || MODE === 'restore';
const key = MODE === 'post' ? core.getState('KEY') : core.getInput('key', { required: true });

await (MODE === 'post' ? save() : reported('cache', [MODE, key], isRestoring ? restore : save));

async function restore() {
  core.saveState('KEY', key);
  const found =
    (await cache.restoreCache(lines('path'), key, lines('restore-keys'), {
      lookupOnly: core.getInput('lookup-only') === 'true',
    })) ?? '';
  core.saveState('FOUND', found);
  core.setOutput('cache-primary-key', key);
  core.setOutput('cache-hit', found === '' && MODE === 'main' ? '' : String(isSame(found, key)));
  if (found !== '') core.setOutput('cache-matched-key', found);
  core.info(`cache key ${key}: ${found === '' ? 'nothing found' : `found ${found}`}`);
  if (found === '' && core.getInput('fail-on-cache-miss') === 'true')
    throw new Error(`Failed to restore cache entry. Input key: ${key}`);
}

async function save() {
  if (MODE === 'post' && isSame(core.getState('FOUND'), key)) return;
  await cache.saveCache(lines('path'), key).then(
    () => core.info(`cache saved: ${key}`),
    (error) => core.warning(error.message),
  );
}
