import { spawn } from 'node:child_process';

/** How a program of the host ended. `code` is null when it is not installed. */
export interface ProgramResult {
  code: number | null;
  /** Last 4,000 characters of stderr and stdout together. */
  tail: string;
}

/** Runs a program of the host to its end, passing on each line it prints. Never throws for a missing program or a bad exit. */
export async function runProgram(
  program: string,
  argv: readonly string[],
  onLine: (line: string) => void,
): Promise<ProgramResult> {
  return new Promise((resolve) => {
    const child = spawn(program, argv, { stdio: ['ignore', 'pipe', 'pipe'] });
    let tail = '';
    const take = (chunk: Buffer): void => {
      const text = chunk.toString('utf8');
      tail = (tail + text).slice(-4000);
      for (const line of text.split('\n')) if (line.trim() !== '') onLine(line.trim());
    };
    child.stdout.on('data', take);
    child.stderr.on('data', take);
    child.on('error', (error) => resolve({ code: null, tail: error.message }));
    child.on('close', (code) => resolve({ code: code ?? 1, tail }));
  });
}
