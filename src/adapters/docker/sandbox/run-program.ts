import { spawn } from 'node:child_process';

/** A program of the host and what it is started with. */
export interface Program {
  program: string;
  argv: readonly string[];
  /** Its whole environment: no program of the host has any business with keys. `PATH` is where it is looked for. */
  variables: Record<string, string>;
  /** Told each line it prints. */
  onLine?: (line: string) => void;
  signal?: AbortSignal;
}

/** How a program of the host ended. `code` is null when it could not be started, as when it is not installed. */
export interface ProgramResult {
  code: number | null;
  /** Last 4,000 characters of stderr and stdout together. */
  tail: string;
}

/**
 * Runs a program of the host to its end. Never throws for a missing program or a bad exit.
 * An aborted signal ends the program (SIGTERM) and is thrown as its reason once the program is gone.
 */
export async function runProgram({ program, argv, variables, onLine, signal }: Program): Promise<ProgramResult> {
  signal?.throwIfAborted();
  return new Promise((resolve, reject) => {
    const child = spawn(program, argv, { stdio: ['ignore', 'pipe', 'pipe'], env: variables, signal });
    let tail = '';
    const take = (chunk: Buffer): void => {
      const text = chunk.toString('utf8');
      tail = (tail + text).slice(-4000);
      for (const line of text.split('\n')) if (line.trim() !== '') onLine?.(line.trim());
    };
    child.stdout.on('data', take);
    child.stderr.on('data', take);
    // An abort is an 'error' too, but of a program that still has to end.
    child.on('error', (error) => {
      if (child.pid === undefined) resolve({ code: null, tail: error.message });
    });
    child.on('exit', () => {
      if (signal?.aborted) reject(signal.reason as Error);
    });
    child.on('close', (code) => resolve({ code: code ?? 1, tail }));
  });
}
