import type { Problem } from '../../contract/problem.js';

/**
 * A failure knows neither campaign nor trial when it says how to go on: `durabench retry ID --trial TRIAL`. Whoever reads
 * it copies the command, so that they are put in where it is shown. @param owner `CAMPAIGN`, or the whole id of a trial
 */
export function withOwnCommands(problem: Problem, owner: string): Problem {
  if (problem.fix === undefined) return problem;
  const [campaign = '', ...trial] = owner.split('/');
  const named = problem.fix.replaceAll(
    /(?<![\w-])(retry|resume|--id|--revises) ID\b/g,
    (_, word: string) => `${word} ${campaign}`,
  );
  const fix = trial.length === 0 ? named : named.replaceAll(/--trial TRIAL\b/g, () => `--trial ${trial.join('/')}`);
  return { ...problem, fix };
}
