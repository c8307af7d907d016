import { mkdir, mkdtemp, readFile, rm, symlink, unlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createFileBlobs } from '../../src/adapters/blobs/file-blobs.js';
import { createFileDownloads } from '../../src/adapters/http/file-downloads.js';
import { createFakeSandbox } from '../../src/fakes/fake-sandbox.js';
import { sha256Hex } from '../../src/domain/text/content-hash.js';
import type { DatasetTools, PublishedSet } from '../../src/suite/dataset.js';
import { readJsonBlob } from '../../src/suite-kit/json-blobs.js';
import { loadPublished } from '../../tasks/artisan/dataset/published/load-published.js';
import { startArtifactServices, type ArtifactServices } from '../fixtures/artisan/artifact-services.js';
import { writeRelease } from '../fixtures/artisan/written-release.js';

// The loader of the published set, against a server of this machine in the shapes of Zenodo, Figshare and GitHub.

const [OLD, NEW] = ['a'.repeat(40), 'b'.repeat(40)];
const bytes = (seed: number, length = 50_000): Buffer =>
  Buffer.from(Array.from({ length }, (_, index) => (index * seed) % 251));

let folder: string;
let release: string;
let services: ArtifactServices;
let tools: DatasetTools;
let waits: number[];

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'durabench-published-'));
  release = join(folder, 'release');
  services = await startArtifactServices({
    records: {
      '101': { concept: '100', files: [{ name: 'old.zip', bytes: bytes(3) }] },
      '102': {
        concept: '100',
        files: [
          { name: 'new.zip', bytes: bytes(5) },
          { name: 'README.md', bytes: bytes(7, 40) },
        ],
      },
      '200': null,
    },
    articles: {
      '300': [{ files: [{ name: 'one.zip', bytes: bytes(11) }] }, { files: [{ name: 'two.zip', bytes: bytes(13) }] }],
    },
    repositories: { 'somebody/code': { commits: [OLD, NEW], archive: { name: 'code', bytes: bytes(17) } } },
    refusals: 0,
  });
  tools = toolsWith('blobs');
});

afterEach(async () => {
  await services.close();
  await rm(folder, { recursive: true });
});

/** Tools whose blobs are kept there; the suite's folder and the cache stay the same. */
function toolsWith(blobs: string): DatasetTools {
  waits = [];
  const wait = (ms: number): Promise<void> => {
    waits.push(ms);
    return Promise.resolve();
  };
  return {
    blobs: createFileBlobs({ folder: join(folder, blobs) }),
    downloads: createFileDownloads({ folder: join(folder, `${blobs}-downloads`), wait }),
    sandbox: createFakeSandbox({ programs: {}, images: [], keepsRuns: false }),
    packages: { download: () => Promise.reject(new Error('no package is needed')) },
    suiteFolder: join(folder, 'suite'),
    cacheFolder: join(folder, 'cache'),
    onProgress: () => undefined,
    signal: new AbortController().signal,
  };
}

type Options = Partial<Parameters<typeof loadPublished>[0]>;
const load = (options: Options = {}): Promise<PublishedSet> =>
  loadPublished({ folder: release, projects: [], isDry: false, ...options }, tools);

interface Lock {
  artifacts: Record<string, { service: string; id: string; files: { name: string; sha256: string; md5?: string }[] }>;
  tasks: { id: string; sha256: string }[];
}

/** Puts the lock where the command puts it. */
async function keepLock({ files }: PublishedSet): Promise<Lock> {
  const [file] = files;
  if (file === undefined || files.length > 1) throw new Error(`${files.length} files instead of a lock`);
  const path = join(folder, 'suite', file.path);
  await mkdir(join(path, '..'), { recursive: true });
  const text = (await tools.blobs.get(file.sha256)).toString('utf8');
  await writeFile(path, text);
  return JSON.parse(text) as Lock;
}

const statesOf = ({ tasks }: PublishedSet): Record<string, string> =>
  Object.fromEntries(
    tasks.map(({ id, state, reasons }) => [id, [state, ...reasons.map(({ code }) => code)].join(' ')]),
  );

const FOUR = () => [
  { id: 'pinned', artifact_url: `${services.origin}/records/101` },
  { id: 'newest', artifact_url: `${services.origin}/records/100` },
  { id: 'shared', artifact_url: `${services.origin}/articles/code/_b_Stones_b_/300` },
  { id: 'code', artifact_url: `${services.origin}/somebody/code` },
];

test('pins records, articles and commits by what they hold now, and downloads them by their pins afterwards', async () => {
  await writeRelease(release, FOUR());
  const made = await load();
  expect(statesOf(made)).toEqual({
    'pinned-t1': 'planned',
    'newest-t1': 'planned',
    'shared-t1': 'planned',
    'code-t1': 'planned',
  });
  const { artifacts, tasks } = await keepLock(made);
  expect(Object.entries(artifacts).map(([paper, { service, id }]) => `${paper} ${service} ${id}`)).toEqual([
    `code code ${NEW}`,
    'newest zenodo 102',
    'pinned zenodo 101',
    'shared figshare 300/2',
  ]);
  expect(artifacts.newest?.files.map(({ sha256 }) => sha256)).toEqual([sha256Hex(bytes(5)), sha256Hex(bytes(7, 40))]);
  expect(tasks.map(({ id }) => id)).toEqual(['code-t1', 'newest-t1', 'pinned-t1', 'shared-t1']);

  // A newer version of everything: what is pinned stays, and no service is asked which is the newest.
  services.holdings.records['103'] = { concept: '100', files: [{ name: 'newer.zip', bytes: bytes(19) }] };
  services.holdings.articles['300']?.push({ files: [{ name: 'three.zip', bytes: bytes(23) }] });
  services.holdings.repositories['somebody/code']?.commits.push('c'.repeat(40));
  services.asked.length = 0;
  tools = toolsWith('elsewhere');
  const again = await load();
  expect([again.digest, again.files]).toEqual([made.digest, []]);
  expect(services.asked.sort()).toEqual([
    '/api/records/101/files/old.zip/content',
    '/api/records/102/files/README.md/content',
    '/api/records/102/files/new.zip/content',
    '/ndownloader/300/2/two.zip',
    `/somebody/code/archive/${NEW}.tar.gz`,
  ]);
});

test('takes the version or commit that an address names', async () => {
  await writeRelease(release, [
    { id: 'first', artifact_url: `${services.origin}/articles/code/Stones/300/1` },
    { id: 'before', artifact_url: `${services.origin}/somebody/code/tree/${OLD}` },
  ]);
  const { artifacts } = await keepLock(await load());
  expect([artifacts.first?.id, artifacts.before?.id]).toEqual(['300/1', OLD]);
});

test('waits where a service limits requests, follows redirects, and goes on where a body was cut', async () => {
  services.holdings.refusals = 2;
  services.holdings.records['101'] = {
    concept: '99',
    files: [
      { name: 'moved.zip', bytes: bytes(3), manner: 'redirected' },
      { name: 'busy.zip', bytes: bytes(5), manner: 'busy' },
      { name: 'cut.zip', bytes: bytes(7), manner: 'cut' },
      { name: 'norange.zip', bytes: bytes(11), manner: 'cut, no ranges' },
    ],
  };
  await writeRelease(release, [{ id: 'hard', artifact_url: `${services.origin}/records/101` }]);
  const made = await load();
  expect(statesOf(made)).toEqual({ 'hard-t1': 'planned' });
  expect(waits.slice(0, 3)).toEqual([1_000, 1_000, 2_000]);
  expect(services.asked).toContain('/api/records/101/files/cut.zip/content bytes=25000-');
  const { artifacts } = await keepLock(made);
  expect(artifacts.hard?.files.map(({ sha256 }) => sha256)).toEqual(
    [3, 5, 7, 11].map((seed) => sha256Hex(bytes(seed))),
  );
});

test('tells what could not be had from what cannot be run, paper by paper', async () => {
  const { records, articles } = services.holdings;
  records['401'] = { concept: '400', files: 'restricted' };
  records['501'] = { concept: '500', files: [{ name: 'a.zip', bytes: bytes(3), manner: 'other bytes' }] };
  records['601'] = { concept: '600', files: [{ name: 'a.zip', bytes: bytes(5), manner: 410 }] };
  records['701'] = { concept: '700', files: [{ name: 'a.zip', bytes: bytes(5), size: 30 * 1024 ** 3 }] };
  articles['800'] = [{ files: [{ name: 'link', bytes: bytes(3) }], linked: true }];
  await writeRelease(release, [
    ...FOUR().slice(0, 1),
    { id: 'withdrawn', artifact_url: `${services.origin}/records/200` },
    { id: 'unknown', artifact_url: `${services.origin}/records/999` },
    { id: 'restricted', artifact_url: `${services.origin}/records/401` },
    { id: 'altered', artifact_url: `${services.origin}/records/501` },
    { id: 'vanished', artifact_url: `${services.origin}/records/601` },
    { id: 'large', artifact_url: `${services.origin}/records/701` },
    { id: 'linked', artifact_url: `${services.origin}/articles/x/800` },
    { id: 'deleted', artifact_url: `${services.origin}/nobody/code` },
    { id: 'homepage', artifact_url: `${services.origin}/` },
  ]);
  const made = await load();
  expect(statesOf(made)).toEqual({
    'pinned-t1': 'planned',
    'large-t1': 'refused size',
    ...Object.fromEntries(
      ['withdrawn', 'unknown', 'restricted', 'altered', 'vanished', 'linked', 'deleted', 'homepage'].map((paper) => [
        `${paper}-t1`,
        'unavailable artifact',
      ]),
    ),
  });
  const why = Object.fromEntries(made.tasks.map(({ project, reasons }) => [project, reasons[0]?.message ?? '']));
  expect(why.withdrawn).toMatch(/not there any more/);
  expect(why.restricted).toMatch(/no file that everybody may download/);
  expect(why.altered).toMatch(/its md5 is/);
  expect(why.vanished).toMatch(/not there any more: the server answers 410/);
  expect(why.linked).toMatch(/only a link to/);
  expect(why.homepage).toMatch(/no artifact that can be downloaded/);
  expect(why.large).toMatch(/30\.0 GiB, and 20\.0 GiB are the most/);
  expect(Object.keys((await keepLock(made)).artifacts)).toEqual(['pinned']);
  expect(services.asked.filter((path) => path.includes('701/files'))).toEqual([]);
});

test('refuses, with every reason, what a run has no room for', async () => {
  const artifact_url = `${services.origin}/records/101`;
  const tables = { 1: { 'repro-kind': 'full', memory_gib: 64 } };
  await writeRelease(release, [
    { id: 'docker', artifact_url, uses_docker: true },
    { id: 'gpu', artifact_url, uses_gpu: true },
    { id: 'api', artifact_url, uses_api: true },
    { id: 'java', artifact_url, language: 'java' },
    { id: 'memory', artifact_url, tables },
    { id: 'all', artifact_url, tables, language: 'scala', uses_docker: true, uses_api: true, uses_gpu: true },
    { id: 'untold', artifact_url },
    { id: 'picture', artifact_url },
    { id: 'plain', artifact_url, language: 'R' },
  ]);
  await unlink(join(release, 'artisanbench/papers/obfuscated/untold_paper_1.md'));
  await writeFile(join(release, 'artisanbench/tables/picture_table_1.md'), '![a picture](table.png)\n');
  const dry = await load({ isDry: true });
  expect(statesOf(dry)).toEqual({
    'docker-t1': 'refused docker',
    'gpu-t1': 'refused gpu',
    'api-t1': 'refused api',
    'java-t1': 'refused language',
    'memory-t1': 'refused memory',
    'all-t1': 'refused docker gpu api language memory',
    'untold-t1': 'refused paper',
    'picture-t1': 'refused table',
    'plain-t1': 'planned',
  });
  expect([services.asked, dry.files]).toEqual([[], []]);
  expect(statesOf(await load())).toEqual(statesOf(dry));
});

test('keeps what is printed, what is asked for, and a mask of it', async () => {
  const said = { 'repro-kind': 'full' };
  const tables = {
    1: said,
    2: said,
    3: said,
    4: { 'non-result': true },
    5: { 'exceed-hardware': true },
    6: { 'non-result': true },
  };
  const table = (cell: string): string => `| Site | Stones |\n| --- | ---: |\n| north 1 | ${cell} |\n`;
  await writeRelease(release, [{ id: 'stones', artifact_url: `${services.origin}/records/101`, tables }], {
    'tables/stones_table_1.md': table('12.5'),
    'tables/inconsistencies/stones_table_1.md': table('13.5'),
    'tables/obfuscated/stones_table_1.md': table('??.?'),
    'tables/stones_table_2.md': `${table('7')}| south | 8 |\n`,
    'tables/partial/stones_table_2.md': table('7'),
    'tables/stones_table_3.md': table('99'),
    // Not a mask of this table: it would show a digit that is another.
    'tables/obfuscated/stones_table_3.md': table('1?'),
  });
  const made = await load();
  expect(made.notes).toEqual([
    'the release: 3 tasks of 1 papers',
    '2 ask for another table than the paper prints: 1 inconsistent with their artifact, 1 in part',
    '3 tables were left out by its publishers: 2 non-result, 1 exceed-hardware',
  ]);
  const { tasks } = await keepLock(made);
  const kept = await Promise.all(
    tasks.map(({ sha256 }) =>
      readJsonBlob<{ printed: string; expected: string; differs: string; mask: { text: string; by: string } }>(
        tools.blobs,
        sha256,
      ),
    ),
  );
  expect(kept.map(({ differs, mask: { by } }) => [differs, by])).toEqual([
    ['inconsistency', 'release'],
    ['partial', 'rule'],
    [null, 'rule'],
  ]);
  expect([kept[0]?.printed, kept[0]?.expected, kept[2]?.mask.text]).toEqual([
    table('12.5'),
    table('13.5'),
    '| Site | Stones |\n| --- | ---: |\n| north 1 | ?? |\n',
  ]);
});

test('does not download again what an earlier attempt has brought, and pins paper by paper', async () => {
  await writeRelease(release, FOUR());
  const first = await keepLock(await load({ projects: ['pinned'] }));
  expect(Object.keys(first.artifacts)).toEqual(['pinned']);
  // Killed before its lock was written: the pins are remembered, the services are asked again, the files are not.
  await load({ projects: ['newest'] });
  services.asked.length = 0;
  const { artifacts } = await keepLock(await load({ projects: ['newest'] }));
  expect(Object.keys(artifacts)).toEqual(['newest', 'pinned']);
  expect(services.asked).toEqual(['/api/records/100', '/api/records/102']);
});

test('measures the disk for each artifact, and counts only what is still to come', async () => {
  const gib = 1024 ** 3;
  await writeRelease(release, FOUR());
  // What the others leave is too little for the last; archives of code, whose size nobody says, may have 2 GiB.
  const free = [60_000, 60_000, 49_999, 2 * gib - 1];
  const freeBytes = (): Promise<number> => Promise.resolve(free.shift() ?? 0);
  const made = await load({ freeBytes });
  expect(statesOf(made)).toEqual({
    'pinned-t1': 'planned',
    'newest-t1': 'planned',
    'shared-t1': 'refused disk',
    'code-t1': 'refused disk',
  });
  expect(made.tasks[3]?.reasons[0]?.message).toMatch(/may take 2\.0 GiB, and the disk has 2\.0 GiB free/);
  expect(services.asked.filter((path) => /ndownloader|archive/.test(path))).toEqual([]);

  // Found in the cache: without a lock by what is remembered of it, with one by its pins.
  const full = { projects: ['pinned', 'newest'], freeBytes: () => Promise.resolve(0) };
  const found = await load(full);
  expect([statesOf(found), found.digest]).toEqual([{ 'pinned-t1': 'planned', 'newest-t1': 'planned' }, made.digest]);
  await keepLock(found);
  const locked = await load(full);
  expect([statesOf(locked), locked.digest]).toEqual([statesOf(found), made.digest]);
  expect(statesOf(await load({ ...full, isDry: true }))).toEqual(statesOf(found));
  tools = toolsWith('elsewhere');
  const refused = { 'pinned-t1': 'refused disk', 'newest-t1': 'refused disk' };
  expect(statesOf(await load(full))).toEqual(refused);
  expect(statesOf(await load({ ...full, isDry: true }))).toEqual(refused);
});

test('ends where the disk is full: that says nothing of a paper', async () => {
  await writeRelease(release, FOUR().slice(0, 1));
  const { files } = await keepLock(await load()).then(({ artifacts }) => artifacts.pinned ?? { files: [] });
  tools = toolsWith('elsewhere');
  const cache = join(folder, 'elsewhere-downloads');
  await mkdir(cache);
  await symlink('/dev/full', join(cache, `${files[0]?.sha256}.${2 ** 22 + 1}.0.part`));
  await expect(load()).rejects.toMatchObject({ type: 'sandbox.disk-full', message: /is full/ });
});

test('reads nothing that lies outside of the release, is no file, or is too large', async () => {
  const at = (path: string): string => join(release, 'artisanbench', path);
  await writeFile(join(folder, 'secret'), 'a key\n');
  const cases: [path: string, become: (path: string) => Promise<void>, why: RegExp][] = [
    [
      'papers/obfuscated/pinned_paper_1.md',
      (path) => symlink(join(folder, 'secret'), path),
      /leads out of the release/,
    ],
    ['tables/pinned_table_1.md', (path) => symlink('/dev/zero', path), /leads out of the release/],
    ['tables/pinned_table_1.md', (path) => symlink('../../.git/config', path), /leads out of the release/],
    ['tables/inconsistencies/pinned_table_1.md', (path) => mkdir(path).then(() => undefined), /is no file/],
    ['tables/obfuscated/pinned_table_1.md', (path) => writeFile(path, Buffer.alloc(4 * 1024 ** 2 + 1)), /4 MiB/],
    ['metadata.json', (path) => symlink(join(folder, 'secret'), path), /leads out of the release/],
  ];
  for (const [path, become, why] of cases) {
    await rm(release, { recursive: true, force: true });
    await writeRelease(release, FOUR().slice(0, 1));
    await mkdir(join(release, '.git'));
    await writeFile(join(release, '.git/config'), 'a key\n');
    await rm(at(path), { force: true });
    await mkdir(dirname(at(path)), { recursive: true });
    await become(at(path));
    await expect(load(), path).rejects.toMatchObject({ problems: [{ message: why, fix: /check the release out/ }] });
  }
});

test('follows links that stay in the release', async () => {
  await writeRelease(release, FOUR().slice(0, 1), { 'papers/obfuscated/all.md': '# On stones\n' });
  const paper = join(release, 'artisanbench/papers/obfuscated/pinned_paper_1.md');
  await unlink(paper);
  await symlink('all.md', paper);
  await symlink(release, join(folder, 'linked'));
  expect(statesOf(await load({ folder: join(folder, 'linked') }))).toEqual({ 'pinned-t1': 'planned' });
});

test('refuses another artifact, other bytes and other tables than were pinned', async () => {
  await writeRelease(release, FOUR().slice(0, 1));
  await keepLock(await load());
  const name = join(release, 'artisanbench/tables/pinned_table_1.md');
  const before = await readFile(name, 'utf8');
  await writeFile(name, before.replace('120', '121'));
  await expect(load()).rejects.toMatchObject({
    type: 'dataset.hash-mismatch',
    problem: { message: /pinned-t1/, fix: /check/ },
  });
  await writeFile(name, before);

  services.holdings.records['101'] = { concept: '99', files: [{ name: 'old.zip', bytes: bytes(29) }] };
  tools = toolsWith('elsewhere');
  const altered = await load();
  expect(statesOf(altered)).toEqual({ 'pinned-t1': 'unavailable artifact' });
  expect(altered.tasks[0]?.reasons[0]?.message).toMatch(/another file than was pinned/);

  await writeRelease(release, [{ id: 'pinned', artifact_url: `${services.origin}/records/102` }]);
  expect((await load()).tasks[0]?.reasons[0]?.message).toMatch(/the release names .*102, and the lock pins .*101/);
});

test('says in three lines what is wrong with a release, a lock or a name', async () => {
  await expect(load()).rejects.toMatchObject({ problems: [{ message: /holds no metadata.json/, fix: /clone/ }] });
  await writeRelease(release, FOUR().slice(0, 2));
  await expect(load({ projects: ['nobody'] })).rejects.toMatchObject({ problems: [{ expected: /pinned, newest/ }] });
  await unlink(join(release, 'artisanbench/tables/pinned_table_1.md'));
  await expect(load()).rejects.toMatchObject({
    problems: [{ message: 'tables/pinned_table_1.md: is missing' }],
  });
  const metadata = join(release, 'artisanbench/metadata.json');
  await writeFile(metadata, (await readFile(metadata, 'utf8')).replaceAll('"lastmile"', '"some"'));
  await expect(load()).rejects.toMatchObject({ problems: [{ message: /0\.tables\.1\.repro-kind/ }, {}] });
  await writeFile(metadata, '{');
  await expect(load()).rejects.toMatchObject({ kind: 'usage' });
  await writeRelease(release, FOUR().slice(0, 1));
  await mkdir(join(folder, 'suite/dataset/published'), { recursive: true });
  await writeFile(join(folder, 'suite/dataset/published/published.lock.json'), '{"version": 2}');
  await expect(load()).rejects.toMatchObject({ type: 'dataset.missing', message: /lock of the published set/ });
});

test('ends at an interruption', async () => {
  await writeRelease(release, FOUR());
  tools = { ...tools, signal: AbortSignal.abort(new Error('enough')) };
  await expect(load()).rejects.toThrow('enough');
});
