import { z } from 'zod';

const name = z.string().min(1);
const hash = z.string().regex(/^[0-9a-f]{64}$/, { message: 'is not a sha-256' });
const pattern = z.string().refine(isPattern, { message: 'is not a regular expression' });

/** `dataset/pins.json`: project → release. */
export const pinsSchema = z.record(
  z.string(),
  z.looseObject({
    name,
    version: name,
    kind: z.enum(['sdist', 'wheel']).optional(),
    file: name.optional(),
    folder: name.optional(),
    sha256: hash,
    licence: name,
  }),
);

/** `dataset/projects/<project>.json`: what is read here; the Python reads more of it. */
export const settingsSchema = z.looseObject({
  package: name,
  packageRoot: name,
  packageFolders: z.array(name).min(1),
  testModules: pattern,
  shimLibraries: z.record(z.string(), z.string()),
  shimFolder: name,
  warm: z.array(name).optional(),
  seed: z.int(),
  givingAway: z.array(name).min(1),
});

/** `dataset/projects/<project>.overrides.json`: test → decision. */
export const overridesSchema = z.record(
  z.string(),
  z.looseObject({ action: z.enum(['keep', 'drop']), rule: name, reason: name }),
);

/** `dataset/dependencies.json`: project → top-level names. */
export const dependenciesSchema = z.record(z.string(), z.array(name));

/** `dataset/not-offered.json`: project → pattern of dotted names. */
export const notOfferedSchema = z.record(z.string(), pattern);

function isPattern(text: string): boolean {
  try {
    new RegExp(text);
    return true;
  } catch {
    return false;
  }
}
