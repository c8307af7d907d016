import { plainText } from '../../domain/text/plain-text.js';
import { jsonText } from '../../domain/text/json-text.js';
import { createLogUpdate } from 'log-update';

/** Where a command writes: `process.stdout` and `process.stderr`, or a test's collectors. */
export interface TextStream {
  /** False: nothing more should come before `drain`. */
  write(text: string): unknown;
  once?(event: 'drain', act: () => void): unknown;
  isTTY?: boolean;
  columns?: number;
}

/** Flags every command has. */
export interface OutputFlags {
  json: boolean;
  quiet: boolean;
  verbose: boolean;
}

/** Data goes to stdout; progress, warnings and errors to stderr, so that stdout can be piped. */
export interface Output {
  readonly flags: OutputFlags;
  /** stderr is a terminal that can be redrawn. */
  readonly isLive: boolean;
  /** A line or block of the answer itself. */
  data(text: string): void;
  /** A document bit by bit, as `jsonText` made it, with its own line ends; no faster than it is read. */
  pieces(document: AsyncIterable<string>): Promise<void>;
  /** The answer under `--json`: one document, two spaces. */
  json(value: unknown): void;
  /** One JSON document on one line, for streams of them. */
  jsonLine(value: unknown): void;
  /** Progress; silent under -q. */
  say(text: string): void;
  /** What must be seen even under -q. */
  warn(text: string): void;
  /** Details; only under -v. */
  detail(text: string): void;
  /** Replaces the lines of the last call on a terminal; elsewhere nothing. */
  redraw(lines: readonly string[]): void;
  /** Leaves the last redrawn lines where they are. */
  settle(): void;
}

/** Output over two streams. */
export function createOutput(streams: { stdout: TextStream; stderr: TextStream }, flags: OutputFlags): Output {
  const { stdout, stderr } = streams;
  // A terminal that does not tell its width cannot be redrawn.
  const isLive = stderr.isTTY === true && (stderr.columns ?? 0) > 0 && !flags.quiet;
  const live = isLive ? createLogUpdate(stderr as NodeJS.WriteStream, { showCursor: true }) : undefined;
  // Whatever was written by a model, a candidate or into a file: no control sequence reaches the terminal.
  const print = (text: string): void => {
    live?.clear();
    stderr.write(`${plainText(text)}\n`);
  };
  return {
    flags,
    isLive,
    data: (text) => void stdout.write(`${plainText(text)}\n`),
    pieces: async (document) => {
      for await (const piece of document) if (stdout.write(piece) === false) await drained(stdout);
    },
    json: (value) => void stdout.write(`${jsonText(value, 2)}\n`),
    jsonLine: (value) => void stdout.write(`${jsonText(value)}\n`),
    say: (text) => (flags.quiet ? undefined : print(text)),
    warn: print,
    detail: (text) => (flags.verbose ? print(text) : undefined),
    redraw: (lines) => live?.(lines.map(plainText).join('\n')),
    settle: () => live?.done(),
  };
}

function drained(stream: TextStream): Promise<void> {
  return new Promise((resolve) => (stream.once === undefined ? resolve() : void stream.once('drain', resolve)));
}
