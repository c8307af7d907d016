import { once } from 'node:events';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { sandboxDoorsConformance } from '../ports/conformance/sandbox-doors.conformance.js';
import { createFakeSandbox, type FakeCall, type FakeEnd } from './fake-sandbox.js';

/** What comes back through a door, or that it is closed. */
async function answerOf({ doors }: FakeCall, port: number, sent: string): Promise<FakeEnd> {
  const found = doors[port];
  if (found === undefined) return { exitCode: 1, stderr: 'connection refused\n' };
  const socket = connect(found, '127.0.0.1');
  socket.end(sent);
  return { stdout: await text(socket).catch(() => '') };
}

const sandbox = createFakeSandbox({
  images: ['fake'],
  programs: {
    ask: (call) => answerOf(call, Number(call.command[1]), call.command[2] ?? ''),
    'ask-at-once': async (call) => {
      const asked = Array.from({ length: Number(call.command[2]) }, (_, index) =>
        answerOf(call, Number(call.command[1]), String(index)),
      );
      return { stdout: (await Promise.all(asked)).map(({ stdout }) => stdout?.toString()).join('\n') };
    },
    'send-much': async (call) => {
      const { stdout } = await answerOf(call, Number(call.command[1]), 'x'.repeat(Number(call.command[2])));
      return { stdout: String(stdout?.length) };
    },
    'write-and-sleep': async ({ command: [, path = '', said = ''], finish, signal }) => {
      await Promise.race([once(finish, 'abort'), once(signal, 'abort')]);
      return { exitCode: 143, files: { [path]: said } };
    },
  },
});

sandboxDoorsConformance('the fake', () => ({
  sandbox,
  bench: {
    image: 'fake',
    ask: (port, said) => ['ask', String(port), said],
    askAtOnce: (port, count) => ['ask-at-once', String(port), String(count)],
    sendMuch: (port, bytes) => ['send-much', String(port), String(bytes)],
    writeAndSleep: (path, said) => ['write-and-sleep', path, said],
  },
}));
