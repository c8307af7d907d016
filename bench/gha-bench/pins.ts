/**
 * Makes the table of pins (tasks/gha-bench/lint/pins.json): which commits of actions are known, from workflows in Go modules
 * that are fetched by version and checked by hash. A pin counts where two modules have it. Needs `go` and a module proxy.
 *
 *   npx tsx bench/gha-bench/pins.ts
 */
import { writeFileSync } from 'node:fs';
import { filesOfModule, PIN_MODULES } from './go-modules.js';

const OUT = 'tasks/gha-bench/lint/pins.json';
const WORKFLOW = /\/\.github\/(?:workflows|actions)\/.*\.ya?ml$/;
const PIN = /uses:\s*['"]?([\w.-]+\/[\w.-]+)(?:\/[^@\s'"]+)?@([0-9a-f]{40})['"]?\s*#\s*(?:tag=)?(v?\d[\w.-]*)/g;

/** `repository commit` → tags, and the modules that have it. */
const found = new Map<string, { tags: Set<string>; modules: Set<string> }>();
const sources = PIN_MODULES.map((module) => {
  const [name, version, hash] = module;
  for (const content of filesOfModule(module, WORKFLOW).values())
    for (const [, repository = '', commit = '', tag = ''] of content.toString('utf8').matchAll(PIN))
      note(`${repository.toLowerCase()} ${commit}`, tag, name);
  return { name, version, hash };
});

const agreed = [...found].filter(([, { modules }]) => modules.size >= 2).sort(([a], [b]) => (a < b ? -1 : 1));
const pins: Record<string, Record<string, string[]>> = {};
for (const [key, { tags }] of agreed) {
  const [repository = '', commit = ''] = key.split(' ');
  pins[repository] = { ...pins[repository], [commit]: [...tags].sort() };
}
writeFileSync(OUT, `${JSON.stringify({ version: 1, sources, pins }, null, 2)}\n`);
process.stdout.write(`${agreed.length} pins of ${Object.keys(pins).length} actions (${found.size} seen)\n`);

function note(key: string, tag: string, module: string): void {
  const known = found.get(key) ?? { tags: new Set(), modules: new Set() };
  known.tags.add(tag);
  known.modules.add(module);
  found.set(key, known);
}
