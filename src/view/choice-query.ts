import type { TrialChoice } from '../client/index.js';

/** How trials end, in the order of every list. */
export const OUTCOMES = ['failed', 'errored', 'not_run', 'passed', 'open'] as const;

/** Characters of a word of a filter. */
const LONGEST = 200;

/** Filters of a trial list as an address has them; what is not understood is left out. */
export function readChoice(query: URLSearchParams): TrialChoice {
  const words = (name: string): string[] => query.getAll(name).filter((word) => word !== '' && word.length <= LONGEST);
  const outcomes = OUTCOMES.filter((outcome) => words('outcome').includes(outcome));
  const [systems, groups] = [words('system'), words('group')];
  const [[reason], [task]] = [words('reason'), words('task')];
  return {
    ...(outcomes.length > 0 && { outcomes }),
    ...(systems.length > 0 && { systems }),
    ...(groups.length > 0 && { groups }),
    ...(reason !== undefined && { reason }),
    ...(task !== undefined && { task }),
  };
}

/** The same for an address. */
export function choiceQuery({ outcomes = [], systems = [], groups = [], reason, task }: TrialChoice): URLSearchParams {
  const query = new URLSearchParams();
  const lists = { outcome: outcomes, system: systems, group: groups, reason: optional(reason), task: optional(task) };
  for (const [name, words] of Object.entries(lists)) for (const word of words) query.append(name, word);
  return query;
}

const optional = (word: string | undefined): string[] => (word === undefined ? [] : [word]);
