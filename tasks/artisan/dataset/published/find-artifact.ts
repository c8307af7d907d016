import { z } from 'zod';
import { DomainFailure } from '../../../../src/domain/failure/domain-failure.js';
import { parsedJson } from '../../../../src/domain/text/parsed-json.js';
import type { DatasetTools } from '../../../../src/suite/dataset.js';
import type { ArtifactAddress } from './artifact-address.js';

/** A file of an artifact, as its service describes it. */
interface FoundFile {
  name: string;
  url: string;
  /** Null where the service does not say (code archives). */
  bytes: number | null;
  md5: string | null;
}

/** An artifact at one version, which its service never changes. */
export interface FoundArtifact {
  service: ArtifactAddress['service'];
  /** Record, `article/version`, or commit. */
  id: string;
  files: FoundFile[];
}

const md5 = z.string().regex(/^[0-9a-f]{32}$/);

/** A record of Zenodo; without `files` where access is restricted. */
const record = z.looseObject({
  id: z.coerce.string(),
  files: z
    .array(
      z.looseObject({
        key: z.string(),
        size: z.int().min(0),
        checksum: z.string(),
        links: z.looseObject({ self: z.url() }),
      }),
    )
    .default([]),
});

/** An article of Figshare at a version. */
const article = z.looseObject({
  id: z.int(),
  version: z.int(),
  files: z.array(
    z.looseObject({
      name: z.string(),
      size: z.int().min(0),
      is_link_only: z.boolean().default(false),
      download_url: z.url(),
      computed_md5: z.string().default(''),
      supplied_md5: z.string().default(''),
    }),
  ),
});

const commit = z.looseObject({ sha: z.string().regex(/^[0-9a-f]{40}$/) });

/**
 * Asks the service of an artifact for its newest version, or the one that the address names, and what files it has.
 * @throws DomainFailure `dataset.missing` where the service has it no more, keeps it from the public or answers something else
 */
export function findArtifact(
  address: ArtifactAddress,
  tools: Pick<DatasetTools, 'downloads' | 'signal'>,
): Promise<FoundArtifact> {
  if (address.service === 'zenodo') return findRecord(address, tools);
  return address.service === 'figshare' ? findArticle(address, tools) : findCommit(address, tools);
}

/** The id of all versions of a record is answered, after a redirect, with the newest. */
async function findRecord(
  { api, record: asked }: Extract<ArtifactAddress, { service: 'zenodo' }>,
  tools: Pick<DatasetTools, 'downloads' | 'signal'>,
): Promise<FoundArtifact> {
  const url = `${api}/${asked}`;
  const { id, files } = await ask(url, record, tools);
  return withFiles(url, {
    ...{ service: 'zenodo', id },
    files: files.map(({ key, size, checksum, links }) => {
      return { name: key, url: links.self, bytes: size, md5: known(checksum.replace(/^md5:/, '')) };
    }),
  });
}

async function findArticle(
  { api, article: asked, version: wanted }: Extract<ArtifactAddress, { service: 'figshare' }>,
  tools: Pick<DatasetTools, 'downloads' | 'signal'>,
): Promise<FoundArtifact> {
  const url = wanted === null ? `${api}/${asked}` : `${api}/${asked}/versions/${wanted}`;
  const { id, version, files } = await ask(url, article, tools);
  const link = files.find((file) => file.is_link_only);
  if (link !== undefined) throw unusable(url, `${link.name} is only a link to ${link.download_url}`);
  return withFiles(url, {
    ...{ service: 'figshare', id: `${id}/${version}` },
    files: files.map(({ name, size, download_url, computed_md5, supplied_md5 }) => {
      return { name, url: download_url, bytes: size, md5: known(computed_md5) ?? known(supplied_md5) };
    }),
  });
}

async function findCommit(
  { api, archives, ref, commit: pinned }: Extract<ArtifactAddress, { service: 'code' }>,
  tools: Pick<DatasetTools, 'downloads' | 'signal'>,
): Promise<FoundArtifact> {
  const id = pinned ?? (await ask(`${api}/${encodeURIComponent(ref)}`, commit, tools)).sha;
  const name = `${id}.tar.gz`;
  return { service: 'code', id, files: [{ name, url: `${archives}/${name}`, bytes: null, md5: null }] };
}

const known = (text: string): string | null => (md5.safeParse(text).success ? text : null);

function withFiles(url: string, found: FoundArtifact): FoundArtifact {
  if (found.files.length > 0) return found;
  throw unusable(url, 'it has no file that everybody may download');
}

async function ask<Answer>(
  url: string,
  schema: z.ZodType<Answer>,
  { downloads, signal }: Pick<DatasetTools, 'downloads' | 'signal'>,
): Promise<Answer> {
  const answer = await downloads.read(url, { signal });
  if (answer === null) throw unusable(url, 'it is not there any more');
  const parsed = schema.safeParse(parsedJson(answer.text));
  if (parsed.success) return parsed.data;
  const { path = [], message = '' } = parsed.error.issues[0] ?? {};
  throw unusable(url, `the answer is none of such a service (${path.join('.') || 'it'}: ${message})`);
}

const unusable = (url: string, why: string): DomainFailure =>
  new DomainFailure('dataset.missing', {
    message: `${url}: ${why}`,
    expected: 'a public artifact of Zenodo, Figshare or GitHub',
    fix: 'ask its authors where it went, then put that address into metadata.json',
  });
