import { sandboxConformance } from '../ports/sandbox.conformance.js';
import { createFakeSandbox, type FakeProgram } from './fake-sandbox.js';

const programs: Record<string, FakeProgram> = {
  copy: ({ stdin }) => ({ stdout: stdin }),
  three: () => ({ exitCode: 3, stderr: 'no\n' }),
  show: ({ command, files }) => {
    const file = files.get(command[1] ?? '');
    return file ? { stdout: file } : { exitCode: 1 };
  },
  variable: ({ command, env }) => ({ stdout: env[command[1] ?? ''] ?? '' }),
  flood: ({ command }) => ({ stdout: 'x'.repeat(Number(command[1])) }),
  sleep: ({ signal }) => new Promise((resolve) => signal.addEventListener('abort', () => resolve({ exitCode: 143 }))),
};

const sandbox = createFakeSandbox({ programs, images: ['fake'] });

sandboxConformance('the fake', () => ({
  sandbox,
  bench: {
    image: 'fake',
    copyStdin: ['copy'],
    failWithThree: ['three'],
    showFile: (path) => ['show', path],
    showVariable: (name) => ['variable', name],
    flood: (bytes) => ['flood', String(bytes)],
    sleep: ['sleep'],
  },
}));
