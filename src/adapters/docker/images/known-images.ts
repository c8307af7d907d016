import { DomainFailure } from '../../../domain/failure/domain-failure.js';
import type { Images } from './images.js';

/** An image that was there when last looked at. */
interface KnownImage {
  imageId: string;
  recipeDigest: string;
}

/** Image look-ups, remembered for the life of a sandbox: a recipe does not change under a running worker. */
export interface KnownImages {
  /** Fails with `sandbox.image-missing` and the command that builds it. */
  find(name: string): Promise<KnownImage>;
  /** The failure for an image that has vanished since; looks again next time. */
  vanished(name: string): DomainFailure;
  forget(name: string): void;
}

/** Starts empty. */
export function createKnownImages(images: Pick<Images, 'check'>): KnownImages {
  const known = new Map<string, KnownImage>();

  async function find(name: string): Promise<KnownImage> {
    const cached = known.get(name);
    if (cached) return cached;
    const { present, recipeDigest } = await images.check(name);
    if (!present) throw imageMissing(name);
    const found = { imageId: present.imageId, recipeDigest };
    known.set(name, found);
    return found;
  }

  return {
    find,
    vanished(name) {
      known.delete(name);
      return imageMissing(name);
    },
    forget: (name) => void known.delete(name),
  };
}

function imageMissing(name: string): DomainFailure {
  return new DomainFailure('sandbox.image-missing', {
    message: `image "${name}" is not on the Docker engine, or was built from an older recipe`,
    expected: `an image built from the recipe ${name}`,
    fix: `durabench images build ${name}`,
  });
}
