import type { CheckedTask, GoldenCheck } from '../results/golden.js';
import { JUNIT_TAIL, junitText } from './junit-cases.js';

/** A test case a task: what regressed is a failure; what flipped, is another task now or was not asked is skipped; not graded an error. */
const ELEMENTS = {
  ...{ passed: null, regressed: 'failure', ungraded: 'error' },
  ...{ flipped: 'skipped', changed: 'skipped', missing: 'skipped' },
} as const;

/** A check of a golden set as one JUnit file. */
export function goldenJunit({ campaign, system, tasks }: GoldenCheck): string {
  const count = (element: string): number => tasks.filter(({ outcome }) => ELEMENTS[outcome] === element).length;
  const counts = `tests="${tasks.length}" failures="${count('failure')}" errors="${count('error')}" skipped="${count('skipped')}"`;
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<testsuites name="golden" ${counts}>`,
    `<testsuite name="${junitText(campaign)}" ${counts}>`,
    ...tasks.map((task) => junitCase(task, system)),
    JUNIT_TAIL,
  ].join('\n');
}

function junitCase({ id, group, outcome, trial, now }: CheckedTask, system: string): string {
  const head = `<testcase classname="${junitText(`${system}.${group}`)}" name="${junitText(id)}"`;
  const element = ELEMENTS[outcome];
  if (element === null) return `${head}/>`;
  const shown = [now, trial].filter((each) => each !== null).map((each) => `durabench show ${junitText(each)}`);
  return `${head}><${element} message="${outcome}">${shown.join('\n')}</${element}></testcase>`;
}
