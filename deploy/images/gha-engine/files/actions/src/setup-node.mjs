import * as core from '@actions/core';
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { reported } from './report.mjs';
import { usePrograms } from './tools.mjs';

const LOCKS = {
  npm: ['package-lock.json', 'npm-shrinkwrap.json', 'yarn.lock'],
  yarn: ['yarn.lock'],
  pnpm: ['pnpm-lock.yaml'],
};

const wanted = core.getInput('node-version') || fromFile(core.getInput('node-version-file'));
await reported('setup-node', [wanted].filter(Boolean), async () => {
  checkCache(core.getInput('cache'));
  const installed = fs
    .readdirSync('/opt')
    .filter((name) => /^node\d+$/.test(name))
    .map((name) => `/opt/${name}/bin`)
    .map((folder) => ({
      folder,
      version: String(execFileSync(`${folder}/node`, ['-v']))
        .trim()
        .slice(1),
    }));
  const found = installed.findLast(({ version }) => isLike(version, wanted));
  if (found === undefined) throw new Error(`not provided: Node ${wanted}`);
  usePrograms(found.folder);
  core.setOutput('node-version', `v${found.version}`);
  core.setOutput('cache-hit', 'false');
});

function fromFile(name) {
  if (name === '') return '';
  const text = fs.readFileSync(path.join(process.env.GITHUB_WORKSPACE, name), 'utf8').trim();
  return name.endsWith('package.json') ? (JSON.parse(text).engines?.node ?? '') : text.replace(/^v/, '');
}

function isLike(version, range) {
  if (/^(|\*|latest|node|current|lts\/.*)$/.test(range)) return true;
  const parts = range
    .replace(/^[v=^~>]+\s*/, '')
    .split('.')
    .filter((part) => part !== 'x' && part !== '*');
  const [own, least] = [version, parts[0]].map((text) => Number(text.split('.')[0]));
  if (range.startsWith('>')) return own >= least;
  return (
    version
      .split('.')
      .slice(0, range.startsWith('^') ? 1 : parts.length)
      .join('.') === parts.slice(0, range.startsWith('^') ? 1 : parts.length).join('.')
  );
}

/** As the action itself: a cache needs a lock file. */
function checkCache(manager) {
  if (manager === '') return;
  const names = core.getInput('cache-dependency-path').split('\n').filter(Boolean);
  const found = (names.length > 0 ? names : (LOCKS[manager] ?? [])).some(
    (name) => name.includes('*') || fs.existsSync(path.join(process.env.GITHUB_WORKSPACE, name)),
  );
  if (!found) throw new Error(`Dependencies lock file is not found in ${process.env.GITHUB_WORKSPACE}.`);
}
