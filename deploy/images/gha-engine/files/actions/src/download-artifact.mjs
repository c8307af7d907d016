import { DefaultArtifactClient } from '@actions/artifact';
import * as core from '@actions/core';
import os from 'node:os';
import path from 'node:path';
import { reported } from './report.mjs';

const [name, pattern] = [core.getInput('name'), core.getInput('pattern')];
await reported('download-artifact', [name || pattern || '*'], async () => {
  const folder = path.resolve((core.getInput('path') || process.env.GITHUB_WORKSPACE).replace(/^~/, os.homedir()));
  const client = new DefaultArtifactClient();
  const { artifacts } = await client.listArtifacts({ latest: true });
  const chosen = artifacts.filter((each) => (name === '' ? isLike(each.name) : each.name === name));
  if (name !== '' && chosen.length === 0)
    throw new Error(`Unable to download artifact(s): Artifact not found for name: ${name}`);
  const isFlat = name !== '' || core.getInput('merge-multiple') === 'true';
  for (const each of chosen)
    await client.downloadArtifact(each.id, { path: isFlat ? folder : path.join(folder, each.name) });
  core.setOutput('download-path', folder);
});

function isLike(text) {
  const source = pattern
    .replace(/[.+^${}()|[\]\\]/g, '\\$&')
    .replace(/\*+/g, '.*')
    .replace(/\?/g, '.');
  return pattern === '' || new RegExp(`^${source}$`).test(text);
}
