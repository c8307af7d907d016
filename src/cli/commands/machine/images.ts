import { plainTable } from '../../../report/result-table.js';
import { duration } from '../../../report/words/words.js';
import type { CommandEntry } from '../../command-entry.js';
import { EXIT, type ExitCode } from '../../exit-code.js';
import { checkImageNames, openImages, type Images, type ImageState } from '../../../client/machine/open-images.js';
import type { Session } from '../../session.js';
import { unknownAction } from '../../options/unknown-action.js';

/** `durabench images build|check [NAME…]` */
export const images: CommandEntry = {
  declare: (program) =>
    program
      .command('images')
      .description('sandbox images: check which are there, build those that are not')
      .argument('<action>', 'build or check')
      .argument('[names...]', 'recipes under deploy/images; all when left out'),
  action: async (session, [action = '', ...names]) => {
    if (action !== 'build' && action !== 'check')
      throw unknownAction('images', action, { actions: ['build', 'check'], example: 'durabench images check' });
    const known = await openImages(session);
    await checkImageNames(session, names);
    if (action === 'check') return check(session, known, names);
    const wanted = names.length > 0 ? names : (await known.list()).map((state) => state.name);
    const built: ImageState[] = [];
    for (const name of wanted) {
      const startedAt = Date.now();
      built.push(await known.ensure(name, (line) => session.output.say(`  ${line}`)));
      session.output.say(`${name} is there (${duration((Date.now() - startedAt) / 1000)})`);
    }
    show(session, built);
    return EXIT.ok;
  },
};

async function check(session: Session, known: Images, names: readonly string[]): Promise<ExitCode> {
  const states = await (names.length > 0 ? Promise.all(names.map((name) => known.check(name))) : known.list());
  show(session, states);
  const missing = states.filter((state) => state.present === null).map((state) => state.name);
  if (missing.length === 0) return EXIT.ok;
  session.output.say(`build what is missing with: durabench images build ${missing.join(' ')}`);
  return EXIT.environment;
}

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
