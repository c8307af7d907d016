import { sandboxWorkspacesConformance } from '../ports/conformance/sandbox-workspaces.conformance.js';
import { createFakeSandbox, type FakeProgram } from './fake-sandbox.js';
import { createMemoryBlobs } from './memory-blobs.js';

const programs: Record<string, FakeProgram> = {
  write: ({ command: [, path = '', text = ''] }) => ({ files: { [path]: text } }),
  show: ({ command: [, path = ''], files }) => {
    const stdout = files.get(path);
    return stdout === undefined ? { exitCode: 1 } : { stdout };
  },
  remove: ({ command: [, path = ''] }) => ({ removes: [path] }),
  'make-files': ({ command: [, count] }) => ({
    files: Object.fromEntries(Array.from({ length: Number(count) }, (_, index) => [String(index), ''])),
  }),
  'make-bytes': ({ command: [, path = '', bytes] }) => ({ files: { [path]: Buffer.alloc(Number(bytes), 'x') } }),
  'write-and-fail': ({ command: [, path = ''] }) => ({ files: { [path]: 'left' }, exitCode: 3 }),
  'write-and-sleep': ({ command: [, path = ''], signal }) =>
    new Promise((resolve) => signal.addEventListener('abort', () => resolve({ files: { [path]: 'half' } }))),
  nothing: () => ({}),
};

const blobs = createMemoryBlobs();
const open = (): ReturnType<typeof createFakeSandbox> => createFakeSandbox({ programs, images: ['fake'], blobs });
const [sandbox, another] = [open(), open()];

sandboxWorkspacesConformance('the fake', () => ({
  sandbox,
  another,
  bench: {
    image: 'fake',
    write: (path, text) => ['write', path, text],
    show: (path) => ['show', path],
    remove: (path) => ['remove', path],
    makeFiles: (count) => ['make-files', String(count)],
    makeBytes: (path, bytes) => ['make-bytes', path, String(bytes)],
    writeAndFail: (path) => ['write-and-fail', path],
    writeAndSleep: (path) => ['write-and-sleep', path],
    nothing: ['nothing'],
  },
}));
