/**
 * Makes the table of pins (tasks/gha-bench/lint/pins.json): which commits of actions are known, from workflows in Go modules
 * that are fetched by version and checked by hash. A pin counts where two modules have it. Needs `go` and a module proxy.
 *
 *   npx tsx bench/gha-bench/pins.ts
 */
import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { readZipEntries } from '../../src/suite-kit/zip-entries.js';

/** Module, version, and the hash of its content as go.sum has it. */
const MODULES: readonly [module: string, version: string, sum: string][] = [
  ['github.com/goreleaser/goreleaser/v2', 'v2.18.2', 'h1:mNyu2jFcuLlNFM90jzfQpz/IDZBsIgskHz02CHVoY/o='],
  ['github.com/sigstore/cosign/v2', 'v2.6.5', 'h1:D7kFSWS2HzfD+LpEuBO89D1KfOAODlkWuuhzXS8yzi0='],
  ['github.com/rhysd/actionlint', 'v1.7.12', 'h1:vQ4GeJN86C0QH+gTUQcs8McmK62OLT3kmakPMtEWYnY='],
  ['github.com/spf13/cobra', 'v1.10.2', 'h1:DMTTonx5m65Ic0GOoRY2c16WCbHxOOw6xxezuLaBpcU='],
  ['github.com/sigstore/rekor', 'v1.5.5', 'h1:nZKTBT0uRlKaFW4PafFIE7F5H26PInFF2qOlWouKYYA='],
  ['github.com/anchore/syft', 'v1.57.0', 'h1:H/UHtf0KbIlD12dXsfklFMjZ2+erj2an3h/jBHoX/zE='],
  ['github.com/google/osv-scanner/v2', 'v2.6.0', 'h1:hqtNLANWaKcqOC6znJX8J/23PtzV82RX23oMS9/ab4I='],
  ['github.com/caddyserver/caddy/v2', 'v2.11.9', 'h1:bhZtcRKQOq0fuLvEgCdPYvUxXyGn9kzjG4lh2332DTE='],
  ['github.com/stretchr/testify', 'v1.12.1', 'h1:EuwCh5fleGS7H32xRwO3wRGT7DxrDhLAT6FF8MpWDWE='],
  ['github.com/prometheus/prometheus', 'v0.316.0', 'h1:f1GRFerhTMKQma+awCoC9T820ecWeGSdF+xAlMHzZzM='],
  ['github.com/sigstore/sigstore', 'v1.11.3', 'h1:gPjEXTOfVNDFQgkEjyLUo+DDh6EA+iklLp1t5slnuGs='],
  ['github.com/gin-gonic/gin', 'v1.12.0', 'h1:b3YAbrZtnf8N//yjKeU2+MQsh2mY5htkZidOM7O0wG8='],
];
const OUT = 'tasks/gha-bench/lint/pins.json';
const WORKFLOW = /\/\.github\/(?:workflows|actions)\/.*\.ya?ml$/;
const PIN = /uses:\s*['"]?([\w.-]+\/[\w.-]+)(?:\/[^@\s'"]+)?@([0-9a-f]{40})['"]?\s*#\s*(?:tag=)?(v?\d[\w.-]*)/g;

/** `repository commit` → tags, and the modules that have it. */
const found = new Map<string, { tags: Set<string>; modules: Set<string> }>();
const sources = MODULES.map(([name, version, sum]) => {
  const zip = downloaded(name, version, sum);
  const entries = readZipEntries(readFileSync(zip), () => undefined);
  if (!Array.isArray(entries)) throw new Error(`${name}: ${entries.message}`);
  for (const { name: path, content } of entries.filter((entry) => WORKFLOW.test(entry.name)))
    for (const [, repository = '', commit = '', tag = ''] of Buffer.from(content).toString('utf8').matchAll(PIN))
      note(`${repository.toLowerCase()} ${commit}`, tag, { name, path });
  return { name, version, hash: sum };
});

const agreed = [...found].filter(([, { modules }]) => modules.size >= 2).sort(([a], [b]) => (a < b ? -1 : 1));
const pins: Record<string, Record<string, string[]>> = {};
for (const [key, { tags }] of agreed) {
  const [repository = '', commit = ''] = key.split(' ');
  pins[repository] = { ...pins[repository], [commit]: [...tags].sort() };
}
writeFileSync(OUT, `${JSON.stringify({ version: 1, sources, pins }, null, 2)}\n`);
process.stdout.write(`${agreed.length} pins of ${Object.keys(pins).length} actions (${found.size} seen)\n`);

function note(key: string, tag: string, { name }: { name: string; path: string }): void {
  const known = found.get(key) ?? { tags: new Set(), modules: new Set() };
  known.tags.add(tag);
  known.modules.add(name);
  found.set(key, known);
}

function downloaded(name: string, version: string, sum: string): string {
  // Exits 1 where the module wants a newer Go than this one, and has fetched it all the same.
  const { stdout } = spawnSync('go', ['mod', 'download', '-json', `${name}@${version}`], {
    encoding: 'utf8',
    env: { ...process.env, GOTOOLCHAIN: 'local' },
  });
  const { Zip: zip, Sum: hash } = JSON.parse(stdout) as { Zip?: string; Sum?: string };
  if (zip === undefined) throw new Error(`${name}@${version} was not fetched: ${stdout}`);
  if (hash !== sum) throw new Error(`${name}@${version} has the hash ${hash}, not ${sum}`);
  return zip;
}
