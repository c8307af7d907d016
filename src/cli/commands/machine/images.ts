import { plainTable } from '../../../report/result-table.js';
import type { CommandEntry } from '../../command-entry.js';
import { EXIT } from '../../exit-code.js';
import { buildImages, imageStates, type ImageState } from '../../../client/machine/open-images.js';
import type { Session } from '../../session.js';
import { unknownAction } from '../../options/unknown-action.js';

/** `durabench images build|check [NAME…]` */
export const images: CommandEntry = {
  declare: (program) =>
    program
      .command('images')
      .description('sandbox images: check which are there, build those that are not')
      .argument('<action>', 'build or check')
      .argument('[names...]', 'recipes by name, or folders with one of your own; all when left out'),
  action: async (session, [action = '', ...names]) => {
    if (action !== 'build' && action !== 'check')
      throw unknownAction('images', action, { actions: ['build', 'check'], example: 'durabench images check' });
    if (action === 'build') {
      show(session, await buildImages(session, names));
      return EXIT.ok;
    }
    const states = await imageStates(session, names);
    show(session, states);
    const missing = states.filter((state) => state.present === null).map((state) => state.name);
    if (missing.length === 0) return EXIT.ok;
    session.output.say(`build what is missing with: durabench images build ${missing.join(' ')}`);
    return EXIT.environment;
  },
};

function show({ output }: Session, states: readonly ImageState[]): void {
  if (output.flags.json)
    return output.json('images', {
      images: states.map(({ name, tag, recipeDigest, present }) => ({
        name,
        tag,
        recipe_digest: recipeDigest,
        present: present !== null,
        image_id: present?.imageId ?? null,
        size_bytes: present?.sizeBytes ?? null,
      })),
    });
  const rows = states.map(({ name, tag, present }) => [
    name,
    tag,
    present === null ? 'missing' : `${Math.round(present.sizeBytes / 1024 ** 2)} MiB`,
  ]);
  output.data(
    plainTable(['image', 'tag', 'size'], rows, ['left', 'left', 'right'], { width: output.width, ranks: [0, 1, 2] }),
  );
}
