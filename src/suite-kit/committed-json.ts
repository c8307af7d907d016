import { readFile } from 'node:fs/promises';
import type { z } from 'zod';
import { DomainFailure } from '../domain/failure/domain-failure.js';

/** A file of this suite that people edit, merge and damage. */
export interface CommittedFile<Content> {
  path: string;
  /** What it is called in a message: `dataset lock`. */
  noun: string;
  /** What it must hold at least; the rest of it is taken as it stands. */
  schema: z.ZodType<Content>;
}

/**
 * Reads a committed JSON file, all of it, also what its schema does not name.
 * @throws DomainFailure `dataset.missing` where it is absent or not what it should be, with the place in it
 */
export async function readCommitted<Content>(file: CommittedFile<Content>): Promise<Content> {
  const text = await readFile(file.path, 'utf8').catch((error: unknown) => {
    throw committedError(file, 'cannot be read', error);
  });
  const content = parsed(file, text);
  const checked = file.schema.safeParse(content);
  if (!checked.success) throw committedError(file, `is damaged: ${firstIssue(checked.error)}`);
  return content as Content;
}

function parsed(file: CommittedFile<unknown>, text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    const why = error instanceof Error ? error.message.split('\n')[0] : String(error);
    throw committedError(file, `is damaged: it is not JSON (${why})`, error);
  }
}

function firstIssue({ issues }: z.ZodError): string {
  const { path, message } = issues[0] ?? { path: [], message: 'it is not what it should be' };
  return `${path.length === 0 ? 'it' : path.join('.')}: ${message}`;
}

/** What is wrong with such a file, and how to get it back. */
export function committedError(
  { path, noun }: Pick<CommittedFile<unknown>, 'path' | 'noun'>,
  message: string,
  cause?: unknown,
): DomainFailure {
  const problem = {
    message: `the ${noun} ${path} ${message}`,
    expected: 'the file as it is committed',
    fix: `bring it back: git checkout -- ${path} (or install the package again)`,
  };
  return new DomainFailure('dataset.missing', problem, { cause });
}
