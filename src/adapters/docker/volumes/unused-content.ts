import type Docker from 'dockerode';
import { markOf } from './filled-volume.js';
import { LABEL } from '../engine/labels.js';

/** Names of the content volumes on the engine that no container holds, whoever made them; a cache, filled again when needed. */
export async function unusedContent(docker: Docker): Promise<string[]> {
  const filters = JSON.stringify({ label: [LABEL.content], dangling: ['true'] });
  const { Volumes: volumes } = await docker.listVolumes({ filters });
  const names = new Set((volumes ?? []).map((volume) => volume.Name));
  return [...names].filter((name) => !name.endsWith(markOf('')));
}

/** Removes one content volume, unless a container holds it. The mark first: content without a mark is not trusted, a mark without content would be. */
export async function removeContent(docker: Docker, name: string): Promise<'removed' | 'held' | 'absent'> {
  const mark = docker.getVolume(markOf(name));
  const labels = (await mark.inspect().catch(() => null))?.Labels ?? null;
  await mark.remove().catch(ignoreAbsent);
  try {
    await docker.getVolume(name).remove();
    return 'removed';
  } catch (error) {
    // 409: a container was given it since the list was made. It is as whole as before: so it gets its mark back.
    if ((error as { statusCode?: number }).statusCode !== 409) return ignoreAbsent(error);
    if (labels !== null) await docker.createVolume({ Name: markOf(name), Labels: labels });
    return 'held';
  }
}

function ignoreAbsent(error: unknown): 'absent' {
  if ((error as { statusCode?: number }).statusCode === 404) return 'absent';
  throw error;
}
