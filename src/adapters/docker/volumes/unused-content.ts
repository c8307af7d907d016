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

/**
 * Removes one content volume, unless a container holds it. Its mark goes after it: until then it names a volume that is no more,
 * and no other. Where it is the mark of one made meanwhile it is made again, or that one is filled again.
 */
export async function removeContent(docker: Docker, name: string): Promise<'removed' | 'held' | 'absent'> {
  let end: 'removed' | 'held' | 'absent' = 'removed';
  try {
    await docker.getVolume(name).remove();
  } catch (error) {
    // 409: a container was given it since the list was made.
    if ((error as { statusCode?: number }).statusCode === 409) return 'held';
    end = ignoreAbsent(error);
  }
  await docker.getVolume(markOf(name)).remove().catch(ignoreAbsent);
  return end;
}

function ignoreAbsent(error: unknown): 'absent' {
  if ((error as { statusCode?: number }).statusCode === 404) return 'absent';
  throw error;
}
