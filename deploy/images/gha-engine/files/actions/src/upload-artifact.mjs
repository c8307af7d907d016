import { DefaultArtifactClient } from '@actions/artifact';
import * as core from '@actions/core';
import * as glob from '@actions/glob';
import fs from 'node:fs';
import path from 'node:path';
import { reported } from './report.mjs';

const name = core.getInput('name') || 'artifact';
await reported('upload-artifact', [name], async () => {
  const found = await filesFound();
  if (found === null) return;
  const client = new DefaultArtifactClient();
  // act's own server would silently take a second one of a name, and cut it off.
  const isThere = (await client.listArtifacts({ latest: true })).artifacts.some((each) => each.name === name);
  if (isThere && core.getInput('overwrite') !== 'true')
    throw new Error(
      'Failed to CreateArtifact: (409) Conflict: an artifact with this name already exists on the workflow run',
    );
  if (isThere) await client.deleteArtifact(name).catch(() => undefined);
  const days = core.getInput('retention-days');
  const { id } = await client.uploadArtifact(
    name,
    found.files,
    found.root,
    days ? { retentionDays: Number(days) } : {},
  );
  core.setOutput('artifact-id', id ?? '');
});

async function filesFound() {
  const [pattern, absent] = [core.getInput('path', { required: true }), core.getInput('if-no-files-found') || 'warn'];
  const globber = await glob.create(pattern, {
    ...{ followSymbolicLinks: true, implicitDescendants: true, omitBrokenSymbolicLinks: true },
    excludeHiddenFiles: core.getInput('include-hidden-files') !== 'true',
  });
  const files = (await globber.glob()).filter((file) => !fs.statSync(file).isDirectory());
  const [first, ...others] = globber.getSearchPaths();
  const root = others.length > 0 ? shared([first, ...others]) : files[0] === first ? path.dirname(first) : first;
  if (files.length > 0) return { files, root };
  const message = `No files were found with the provided path: ${pattern}. No artifacts will be uploaded.`;
  if (absent === 'error') throw new Error(message);
  if (absent === 'warn') core.warning(message);
  return null;
}

/** The deepest folder that all are in. */
function shared(paths) {
  const split = paths.map((each) => each.split(path.sep));
  const length = split[0].findIndex((part, index) => split.some((each) => each[index] !== part));
  return split[0].slice(0, length === -1 ? undefined : length).join(path.sep) || '/';
}
