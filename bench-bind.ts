import { readFileSync } from 'node:fs';
import { bindTask } from './tasks/repocraft/stages/bind.js';
import { imageOf, type DerivedNames } from './tasks/repocraft/generators/derived/truth.js';
import type { CandidateIndex } from './tasks/repocraft/stages/candidate-index.js';
const [proj, ...kinds] = process.argv.slice(2);
const X = '/tmp/calibrate-x';
const json = <T>(p: string): T => JSON.parse(readFileSync(p, 'utf8')) as T;
const tasks = json<any[]>(`${X}/${proj}.tasks.json`);
const reference = json<CandidateIndex>(`${X}/ref/${proj}.json`);
for (const kind of kinds) {
  const names = json<DerivedNames>(`${X}/out/${proj}-${kind}/names.json`);
  const candidate = json<CandidateIndex>(`${X}/out/${proj}-${kind}/index.json`);
  const byPath = new Map(candidate.entries.map((e) => [`${e.module}.${e.qualname}`, e]));
  const t0 = Date.now();
  let n = 0, bound = 0, right = 0; const why: Record<string, string[]> = {};
  for (const task of tasks) {
    const image = imageOf(names, task.targets[0]);
    const voted = image === null ? null : (byPath.get(image) ?? null);
    if (voted === null) { (why['no entry'] ??= []).push(`${task.id} ${task.targets[0]} ${image}`); continue; }
    n += 1;
    const b = bindTask({ task, reference, candidate, voted });
    if (b.kind === 'refused') { (why[b.code] ??= []).push(`${task.id} ${b.message}`); continue; }
    bound += 1;
    const wrong = b.kind === 'identical' ? [] : b.bindings.filter((x) => imageOf(names, x.reference) !== (x.name ? `${x.module}.${x.name}` : x.module));
    if (wrong.length) (why['wrong'] ??= []).push(`${task.id} ` + wrong.map((x) => `${x.reference}->${x.module}.${x.name} not ${imageOf(names, x.reference)}`).join('; '));
    else right += 1;
  }
  console.log(proj, kind, { n, bound, right, ms: Date.now() - t0 });
  for (const [k, v] of Object.entries(why)) console.log(' ', k, v.length, '\n     ', v.slice(0, Number(process.env.SHOW ?? 25)).join('\n      '));
}
