import { packTar } from '../adapters/docker/engine/tar-archive.js';
import { sha256Hex } from '../domain/text/content-hash.js';
import { nestedEngineConformance } from '../ports/conformance/nested-engine.conformance.js';
import { sandboxConformance } from '../ports/conformance/sandbox.conformance.js';
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
  'flood-errors': ({ command }) => ({ stderr: 'x'.repeat(Number(command[1])) }),
  hog: () => ({ outOfMemory: true }),
  'leave-process': () => ({ leftProcess: true }),
  'leave-file': ({ command, files }) => {
    files.set(command[1] ?? '', Buffer.from('left'));
    return {};
  },
  write: ({ command }) => ({ files: { [command[1] ?? '']: command[2] ?? '' } }),
  'change-content': ({ command, mounts }) => {
    const found = onlyFile(mounts.find(({ path }) => path === command[1])?.tar ?? Buffer.alloc(512));
    const before = Buffer.from(found);
    found.fill('x');
    return { stdout: before };
  },
  sleep: ({ signal }) => new Promise((resolve) => signal.addEventListener('abort', () => resolve({ exitCode: 143 }))),
};

/** The only file of a tar: a header of 512 bytes says its size, then it follows. */
function onlyFile(tar: Buffer): Buffer {
  const size = Number.parseInt(tar.toString('latin1', 124, 135), 8);
  return tar.subarray(512, 512 + size);
}

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
    floodErrors: (bytes) => ['flood-errors', String(bytes)],
    hog: ['hog'],
    leaveProcess: ['leave-process'],
    leaveFile: (name) => ['leave-file', name],
    writeFile: (path, text) => ['write', path, text],
    content: async (name, text, path) => {
      const tar = await packTar({ [name]: text });
      return { sha256: sha256Hex(tar), load: async () => tar, path };
    },
    changeContent: (path) => ['change-content', path],
  },
}));

const withEngine = createFakeSandbox({
  images: ['engine', 'one', 'two'],
  programs: {
    images: ({ engine }) => ({ stdout: [...(engine?.images ?? [])].join('\n') }),
    job: ({ engine, command }) =>
      engine?.images.has(command[1] ?? '') ? { stdout: command[2] ?? '' } : { exitCode: 125 },
    leave: ({ engine }) => {
      engine?.made.add('container').add('network').add('volume').add('image');
      return {};
    },
    left: ({ engine }) => ({ stdout: String(engine?.made.size) }),
    ask: ({ engine }) => ({ exitCode: engine === null ? 1 : 0 }),
    sleep: programs['sleep']!,
  },
});

nestedEngineConformance('the fake', () => ({
  sandbox: withEngine,
  bench: {
    image: 'engine',
    jobImages: ['one', 'two'],
    listImages: ['images'],
    runJob: (image, text) => ['job', image, text],
    leaveAll: ['leave'],
    countLeft: ['left'],
    sleepInJob: () => ['sleep'],
    askEngine: ['ask'],
  },
}));
