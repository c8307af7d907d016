import net from 'node:net';

const encoded = (words) => Buffer.from(words.map((word) => `${word}\0`).join('')).toString('base64');

/**
 * Tells the recorder what an action does, as a tool of a step would, and prints the number it is given; ends with its status.
 * @param {string} name of the action
 * @param {string[]} words what it is asked, as a command line
 * @param {() => Promise<void>} work
 */
export async function reported(name, words, work) {
  const told = await begin(name, words);
  console.log(`durabench-tool ${told.number ?? 'none'} ${name}`);
  try {
    await work();
  } catch (error) {
    console.log(`::error::${String(error.message).replaceAll('\n', '%0A')}`);
    process.exitCode = 1;
  }
  told.end(process.exitCode ?? 0);
}

async function begin(name, words) {
  const [host, port, token] = (process.env.DURABENCH_RECORDER ?? '').split(':');
  if (token === undefined) return { end: () => undefined };
  const socket = net.connect({ host, port: Number(port) });
  const number = await new Promise((resolve) => {
    socket.once('error', () => resolve(undefined));
    socket.once('data', (line) => resolve(String(line).trim()));
    socket.write(`start ${token} 0 ${name} ${encoded([process.cwd()])} ${encoded(words)}\n`);
  });
  return { number, end: (status) => socket.end(`end ${token} ${number} ${status}\n`) };
}
