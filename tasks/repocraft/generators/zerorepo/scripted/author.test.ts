import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { readEnvironment } from '../../../../../src/config/env.js';
import { describeWithPython } from '../../../../../tests/fixtures/repocraft/describe-with-python.js';
import { authorOf, designedBy } from './author.js';
import { createCoder, offByOne } from './coder.js';
import { createDesigner } from './designer.js';
import { createPlanner } from './planner.js';
import { readPythonLibrary } from './python-library.js';

const LIBRARY = fileURLToPath(new URL('../../../../../examples/zerorepo-httpeasy/library', import.meta.url));
const buildServer = readEnvironment().variable('CI') !== undefined;
const author = (skill: number) => authorOf({ as: 'author', skill, seed: 1 })!;

describe('an author', async () => {
  const library = await readPythonLibrary(LIBRARY);
  const names = library.modules.flatMap(({ symbols }) => symbols.map(({ name }) => name));

  it('errs about a share of the library as large as its lack of skill, in every known way', () => {
    const errors = names.flatMap((name) => author(0.3).errorOf(name) ?? []);
    expect(errors.length / names.length).toBeGreaterThan(0.5);
    expect(errors.length / names.length).toBeLessThan(0.9);
    expect([...new Set(errors)].sort()).toEqual(['cyclic-import', 'missing', 'off-by-one', 'signature', 'stub']);
  });

  it('of more skill errs on a part of that, and of the highest on nothing', () => {
    const wrong = (skill: number) => names.filter((name) => author(skill).errorOf(name) !== null);
    const [low, middle, high] = [wrong(0.3), wrong(0.6), wrong(0.9)];
    expect(low).toEqual(expect.arrayContaining(middle));
    expect(middle).toEqual(expect.arrayContaining(high));
    expect([low.length > middle.length, middle.length > high.length, wrong(1)]).toEqual([true, true, []]);
  });

  it('forgets features, designs parameters nobody hands over, and knows its classes by their leaves', () => {
    const planner = createPlanner(library);
    const asked = { features: [], scale: 'Round 1: about 15 leaves.' };
    const proposed = (forgets: (name: string) => boolean) =>
      (planner.propose(asked, forgets) as { features: { path: string[] }[] }).features.map(({ path }) => path.at(-1));
    const [first = ''] = proposed(() => false);
    expect(proposed((name) => name.replaceAll('_', ' ') === first)).not.toContain(first);
    expect(library.find('headers')?.name).toBe('Headers');
    const signature = names.find(
      (name) => author(0.3).errorOf(name) === 'signature' && library.find(name)?.kind === 'function',
    )!;
    const [path, kind] = [['A', 'b', signature], 'function'];
    const feature = { id: 'f1', path, description: '' };
    const asks = { file: { path: 'a/b.py' }, features: [feature], available: [] };
    const designed = designedBy(author(0.3), createDesigner(library).interfaces(asks)) as {
      interfaces: { kind: string; signature: string }[];
    };
    expect(designed.interfaces.map((one) => [one.kind, one.signature.slice(0, 8)])).toEqual([[kind, '(context']]);
  });

  it('writes stubs, numbers that are one too high, and imports of itself', () => {
    expect(offByOne('return text[1:] + 2')).toBe('return text[2:] + 2');
    expect(offByOne('return name2')).toBeNull();
    const unit = { id: 'a/b.py::pieces_of', name: 'pieces_of', kind: 'function', import: 'from a.b import pieces_of' };
    const brief = { ...unit, file: 'a/b.py', signature: '(text, size)', docstring: 'Cut.', features: [], methods: [] };
    const written = (craft: 'stub' | 'off-by-one' | 'cyclic-import') =>
      JSON.stringify(createCoder(library).code({ units: [brief], uses: [] }, () => craft));
    expect(written('stub')).toContain('raise NotImplementedError');
    expect(written('off-by-one')).toContain('size > 1');
    expect(written('cyclic-import')).toContain('from a.b import pieces_of');
  });
});

describeWithPython('the library it composes from', { buildServer }, () => {
  it('has examples that hold with nothing imported but what they are about, and more than 1,000 lines', () => {
    const check = `
import doctest, importlib, inspect, pathlib, sys
sys.path.insert(0, sys.argv[1])
lines = 0
for path in sorted(pathlib.Path(sys.argv[1], "httpkit").glob("*.py")):
    lines += len(path.read_text().splitlines())
    module = importlib.import_module("httpkit." + path.stem)
    for name, made in vars(module).items():
        if getattr(made, "__module__", None) != module.__name__:
            continue
        examples = doctest.DocTestParser().get_examples(inspect.getdoc(made) or "")
        if not examples:
            print(name, "has no example")
        for example in examples:
            try:
                found = repr(eval(example.source, {name: made})) + "\\n"
            except Exception as error:
                found = f"{type(error).__name__}: {error}"
            if found != example.want:
                print(name, example.source.strip(), found)
print(lines)
`;
    const { stdout, stderr } = spawnSync('python3', ['-B', '-c', check, `${LIBRARY}/src`], { encoding: 'utf8' });
    expect(stderr).toBe('');
    const told = stdout.trim().split('\n');
    expect(told.slice(0, -1)).toEqual([]);
    expect(Number(told.at(-1))).toBeGreaterThan(1000);
  });
});
