import type { SystemSpec } from '../contract/campaign.js';
import type { Problem } from '../contract/problem.js';

/** What a system that is a program of somebody's own (`generator: command`) lacks; nothing for any other. */
export function programProblems({ generator, options }: SystemSpec, index: number): Problem[] {
  if (generator !== 'command') return [];
  return (['image', 'command'] as const)
    .filter((key) => options[key] === undefined)
    .map((key) => ({
      path: ['systems', index],
      message: `the generator command has no ${key}`,
      expected: 'options: { image, command, wall_seconds }',
      fix:
        key === 'image' ? 'name a recipe, as durabench images check lists them' : 'write command: [PROGRAM, ARGUMENT]',
    }));
}

/** Images of recipes that such a system names. */
export const programImages = ({ generator, options }: SystemSpec): string[] =>
  generator === 'command' && typeof options.image === 'string' ? [options.image] : [];
