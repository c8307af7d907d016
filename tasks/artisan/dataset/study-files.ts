import { DomainFailure } from '../../../src/domain/failure/domain-failure.js';
import { UserError } from '../../../src/domain/failure/user-error.js';
import { sha256Hex } from '../../../src/domain/text/content-hash.js';
import type { DatasetTools } from '../../../src/suite/dataset.js';
import { recallJson, rememberJson } from '../../../src/suite-kit/json-blobs.js';
import { packFiles } from '../../../src/suite-kit/packed-files.js';
import { readTarEntries } from '../../../src/suite-kit/tar-entries.js';
import { wrong } from './read-study.js';
import type { StudySource } from './study-schema.js';
import { wheelFiles } from './wheel-files.js';

/** Where a script of extraction leaves what it found. */
const OUT = 'out';

/**
 * What a study is made of, by path: those files of its wheel that it names, or what its script takes out of an image of Debian packages.
 * The same script and image are run once an installation.
 * @throws UserError for a script that fails, DomainFailure where a package or an image is not there
 */
export async function studyFiles(source: StudySource, tools: DatasetTools): Promise<Map<string, Buffer>> {
  const { study, extract } = source;
  const named = new Set([study.paper.from, ...study.artifact.map(({ from }) => from)]);
  if (!('library' in study.package)) return wheelFiles(study.package, named, tools);
  const { blobs, sandbox } = tools;
  const script = extract ?? '';
  const key = `artisan/extract/1/${sha256Hex(script)}/${await sandbox.imageDigest(study.package.library)}`;
  const known = await recallJson<{ sha256: string }>(blobs, key);
  if (known !== null && (await blobs.has(known.sha256))) {
    const entries = await readTarEntries(await blobs.get(known.sha256));
    return new Map(entries.map(({ name, content }) => [name, Buffer.from(content)]));
  }
  const files = await extracted({ id: source.id, image: study.package.library, script }, tools);
  const label = { name: `${source.id}.tar`, mediaType: 'application/x-tar' };
  const { sha256 } = await blobs.put(await packFiles(files), label);
  await rememberJson(blobs, { key, name: 'extracted.json' }, { sha256 });
  return files;
}

async function extracted(
  { id, image, script }: { id: string; image: string; script: string },
  tools: DatasetTools,
): Promise<Map<string, Buffer>> {
  const { sandbox, signal } = tools;
  tools.onProgress(`${id}: taking it out of ${image}`);
  const { exitCode, stderr, taken } = await sandbox.run({
    ...{ image, signal, mounts: [], poolKey: null },
    command: ['bash', '-e', 'extract.sh'],
    files: { 'extract.sh': script },
    take: [OUT],
    limits: { memoryBytes: 1024 ** 3, cpuSeconds: 120, wallSeconds: 480 },
    owner: { campaignId: 'dataset', ownerId: id },
  });
  if (exitCode === 0 && taken !== null && !taken.tooLarge)
    return new Map(
      Object.entries(taken.files).map(([path, bytes]) => [path.slice(OUT.length + 1), Buffer.from(bytes)] as const),
    );
  const last = stderr.bytes.toString('utf8').trim().split('\n').at(-1) ?? '';
  if (exitCode === null) throw new DomainFailure('sandbox.lost', `${id}: extract.sh did not come to its end: ${last}`);
  throw new UserError('environment', wrong(`${id}/extract.sh`, `ends with exit status ${exitCode}: ${last}`));
}
