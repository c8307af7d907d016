import { randomUUID } from 'node:crypto';
import { LABEL } from '../engine/labels.js';

/**
 * Labels of a volume that is made to hold content. By the first every cleaner finds it; by the second it is told from a later
 * one of its name. Whatever names the volume has to bring them: Docker makes an absent volume with the container that mounts it.
 */
export function contentLabels(volumeName: string): Record<string, string> {
  return { [LABEL.content]: volumeName, [LABEL.volume]: randomUUID() };
}
