/**
 * Kills the worker, Temporal's server or the Docker engine while trials of Artisan-Bench are under way, each in the middle of five
 * things: a model's answer, a command of an agent, a run that judges what it submitted, a run without result files, a run on a twin.
 * A campaign for each of the three: twelve agents of two kinds on six tables, and the reference; what it left is compared with an
 * undisturbed one's.
 *
 *   npm run build && npx tsx bench/artisan/kills.ts
 *   npx prettier --write docs/results/artisan-kills.md
 *
 * Needs Docker and the images base and artisan-python.
 */
import { writeFileSync } from 'node:fs';
import { loadavg } from 'node:os';
import { isDeepStrictEqual } from 'node:util';
import { join } from 'node:path';
import { KILLED, MOMENTS, openDemoProject, type TrialFacts } from '../../tests/fixtures/artisan/killed-trials.js';

const PAGE = join(import.meta.dirname, '..', '..', 'docs', 'results', 'artisan-kills.md');
const SYSTEMS = ['reference', 'agent', 'copier'];
const TASKS = ['employment-errors', 'ozone-anova', 'ozone-coefficients', 'silicon-anova', 'silver-anova', 'silver-fit'];

interface Row {
  victim: string;
  facts: TrialFacts;
  load: number;
}

const demo = await openDemoProject();
try {
  const calm = await demo.run({ name: 'undisturbed', systems: SYSTEMS, tasks: TASKS });
  const rows: Row[] = [{ victim: 'nothing', facts: calm, load: Math.round(loadavg()[0] ?? 0) }];
  console.log(JSON.stringify({ undisturbed: calm.verdicts, seconds: calm.seconds }));
  for (const victim of KILLED) {
    const kills = MOMENTS.map((moment) => ({ victim, moment }));
    const facts = await demo.run({ name: `kills-${victim}`, systems: SYSTEMS, tasks: TASKS }, kills, calm);
    rows.push({ victim, facts, load: Math.round(loadavg()[0] ?? 0) });
    console.log(JSON.stringify({ victim, hits: facts.hits, seconds: facts.seconds }));
  }
  const left = await demo.leftBy(rows.map(({ facts }) => facts.id));
  writeFileSync(PAGE, page(rows, calm, left));
} finally {
  await demo.close();
}

function page(rows: readonly Row[], calm: TrialFacts, left: number): string {
  const changed = <Name extends 'verdicts' | 'scripts' | 'counts' | 'steps'>(facts: TrialFacts, name: Name): number =>
    Object.keys(calm[name]).filter((trial) => !isDeepStrictEqual(facts[name][trial], calm[name][trial])).length;
  const agents = Object.keys(calm.verdicts).filter((trial) => !trial.includes('/reference/')).length;
  const submissions = Object.values(calm.counts).reduce((sum, { submissions: made }) => sum + (made ?? 0), 0);
  const lines = rows.map(({ victim, facts, load }) =>
    [
      ...[victim, facts.hits.map(({ moment }) => moment).join(', ') || '–'],
      ...[changed(facts, 'verdicts'), changed(facts, 'scripts'), changed(facts, 'counts'), changed(facts, 'steps')],
      ...[`${facts.answeredRepeated} of ${facts.answered}`, facts.stepsAgain, facts.seconds, load],
    ].join(' | '),
  );
  return `# Kills while scripts are made and judged

Written by \`npx tsx bench/artisan/kills.ts\`. A campaign for each row: ${agents} agents, who submit ${submissions} times in all, and ${TASKS.length} references; nobody helps it up. A kill counts only where the step that it hit had begun and was not recorded when it was done.

| killed | in the middle of | verdicts changed | scripts changed | turns, submissions or cells told changed | steps changed | answered calls sent again | steps begun again | seconds | load |
| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |
${lines.map((line) => `| ${line} |`).join('\n')}

Once the stack was down ${left} containers of these campaigns were left.

\`think\`: a model was asked and had not answered. \`act\`: a command of an agent. \`submit\`: a run that judges what an agent submitted. \`withheld\`, \`twin\`: runs that judge the method of a script. Scripts are compared byte for byte. \`engine\`: every connection to it broke, the containers of the campaign were killed, and a second later it answered again. \`temporal\` takes no step with it.
`;
}
