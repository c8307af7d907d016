/** Where an artifact is published, and how its service is asked for it. */
export type ArtifactAddress =
  | { service: 'zenodo'; api: string; record: string }
  | { service: 'figshare'; api: string; article: string; version: string | null }
  | { service: 'code'; api: string; archives: string; ref: string; commit: string | null };

const COMMIT = /^[0-9a-f]{40}$/;

/**
 * Reads the address of a record (Zenodo and other InvenioRDM services), an article (Figshare) or a repository (GitHub). The
 * services of others are asked at the same host, where such services have their API. Null where it is none of these.
 */
export function artifactAddress(text: string): ArtifactAddress | null {
  const url = URL.parse(text);
  if (url === null || !/^https?:$/.test(url.protocol)) return null;
  if (/(^|\.)doi\.org$/.test(url.hostname)) return ofDoi(url.pathname.slice(1));
  const parts = url.pathname.split('/').filter((part) => part !== '');
  const record = /\/records?\/(\d+)(?:\/|$)/.exec(url.pathname)?.[1];
  if (record !== undefined) return { service: 'zenodo', api: `${url.origin}/api/records`, record };
  if (parts[0] === 'articles') {
    const numbers = parts.filter((part) => /^\d+$/.test(part));
    const [article, version = null] = numbers;
    const host = /(^|\.)figshare\.com$/.test(url.hostname) ? 'https://api.figshare.com' : url.origin;
    return article === undefined ? null : { service: 'figshare', api: `${host}/v2/articles`, article, version };
  }
  const [owner, name, kind, ...rest] = parts;
  if (owner === undefined || name === undefined) return null;
  if (kind !== undefined && !['tree', 'commit', 'releases'].includes(kind)) return null;
  const repository = `${owner}/${name.replace(/\.git$/, '')}`;
  const ref = (kind === 'releases' ? rest.slice(1) : rest).join('/') || 'HEAD';
  const api = url.hostname === 'github.com' ? 'https://api.github.com' : `${url.origin}/api/v3`;
  return {
    ...{ service: 'code', api: `${api}/repos/${repository}/commits`, ref },
    archives: `${url.origin}/${repository}/archive`,
    commit: COMMIT.test(ref) ? ref : null,
  };
}

function ofDoi(doi: string): ArtifactAddress | null {
  const record = /^10\.5281\/zenodo\.(\d+)$/i.exec(doi)?.[1];
  if (record !== undefined) return { service: 'zenodo', api: 'https://zenodo.org/api/records', record };
  const [, article, version = null] = /^10\.6084\/m9\.figshare\.(\d+)(?:\.v(\d+))?$/i.exec(doi) ?? [];
  if (article === undefined) return null;
  return { service: 'figshare', api: 'https://api.figshare.com/v2/articles', article, version };
}
