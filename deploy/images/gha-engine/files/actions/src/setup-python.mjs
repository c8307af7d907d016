import * as core from '@actions/core';
import fs from 'node:fs';
import path from 'node:path';
import { reported } from './report.mjs';
import { usePrograms } from './tools.mjs';

/** Minor versions of Python 3 that GitHub's runners can have. */
const [OLDEST, NEWEST] = [8, 14];

const wanted = core.getInput('python-version').split('\n')[0].trim() || fromFile(core.getInput('python-version-file'));
await reported('setup-python', [wanted].filter(Boolean), async () => {
  const minor = minorOf(wanted);
  const version = `3.${minor}`;
  const folder = `/opt/hostedtoolcache/Python/${version}/bin`;
  fs.mkdirSync(folder, { recursive: true });
  // The image has one Python: others are that one under their name, and say so nowhere but here.
  const script = `#!/bin/sh\ncase "$*" in --version | -V) echo "Python ${version}.0"; exit 0 ;; esac\nexec /usr/bin/python3 "$@"\n`;
  for (const name of ['python', 'python3', `python${version}`])
    fs.writeFileSync(path.join(folder, name), script, { mode: 0o755 });
  usePrograms(folder);
  core.setOutput('python-version', `${version}.0`);
  core.setOutput('python-path', path.join(folder, 'python'));
  core.setOutput('cache-hit', 'false');
});

function fromFile(name) {
  if (name === '') return '';
  const text = fs.readFileSync(path.join(process.env.GITHUB_WORKSPACE, name), 'utf8');
  if (!name.endsWith('.toml')) return text.trim();
  return /requires-python\s*=\s*["']([^"']*)["']/.exec(text)?.[1] ?? '';
}

function minorOf(range) {
  if (/^(|3|3\.x|>=?\s*3\..*|x|\*)$/.test(range)) return 11;
  const minor = Number(/^(?:~=|==)?\s*3\.(\d+)(\.(\d+|x|\*))?$/.exec(range)?.[1]);
  if (minor >= OLDEST && minor <= NEWEST) return minor;
  throw new Error(`The version '${range}' with architecture 'x64' was not found for Ubuntu.`);
}
