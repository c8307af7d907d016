import { plainText } from '../../domain/text/plain-text.js';
import { jsonText } from '../../domain/text/json-text.js';
import type { createLogUpdate } from 'log-update';
import type { DocumentBody, DocumentName } from '../../report/documents/documents.js';
import { versioned } from '../../report/documents/versioned.js';

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
  /** Tables with all their columns, however narrow the terminal. */
  wide?: boolean;
  /** Commands are printed as `npx durabench`. */
  isNpx?: boolean;
  /** Where `examples/` of the package lies, from the folder a user types in. Default: here. */
  examples?: string;
}

/** Data goes to stdout; progress, warnings and errors to stderr, so that stdout can be piped. */
export interface Output {
  readonly flags: OutputFlags;
  /** stderr is a terminal that can be redrawn. */
  readonly isLive: boolean;
  /** Characters a line of stdout has room for; Infinity where it is no terminal, and under --wide. */
  readonly width: number;
  /** A line or block of the answer itself. */
  data(text: string): void;
  /** A document bit by bit, as `jsonText` made it, with its own line ends; no faster than it is read. */
  pieces(document: AsyncIterable<string>): Promise<void>;
  /** The answer under `--json`: one document of this name with its version, two spaces. */
  json<Name extends DocumentName>(name: Name, body: DocumentBody<Name>): void;
  /** The same on one line, for streams of them. */
  jsonLine<Name extends DocumentName>(name: Name, body: DocumentBody<Name>): void;
  /** JSON of another format: a schema, a line of a log. */
  foreignJson(value: unknown, indent?: number): void;
  /** Progress; silent under -q. */
  say(text: string): void;
  /** What must be seen even under -q. */
  warn(text: string): void;
  /** What a command ended with: lines that begin with `error:`, which is shown as given. */
  failure(text: string, label: string): void;
  /** Details; only under -v. */
  detail(text: string): void;
  /** Replaces the lines of the last call on a terminal; elsewhere nothing. */
  redraw(lines: readonly string[]): void;
  /** Leaves the last redrawn lines where they are. */
  settle(): void;
}

/** Output over two streams. */
export async function createOutput(
  streams: { stdout: TextStream; stderr: TextStream },
  flags: OutputFlags,
): Promise<Output> {
  const { stdout, stderr } = streams;
  // A terminal that does not tell its width cannot be redrawn.
  const isLive = stderr.isTTY === true && (stderr.columns ?? 0) > 0 && !flags.quiet;
  const live = isLive ? await redrawn(stderr as NodeJS.WriteStream) : undefined;
  // Whatever was written by a model, a candidate or into a file: no control sequence reaches the terminal.
  const print = (text: string): void => {
    live?.clear();
    stderr.write(`${readable(text)}\n`);
  };
  const readable = (text: string): string => plainText(typable(text, flags));
  const foreignJson = (value: unknown, indent?: number): void => void stdout.write(`${jsonText(value, indent)}\n`);
  return {
    flags,
    isLive,
    width: flags.wide !== true && stdout.isTTY === true && stdout.columns ? stdout.columns : Infinity,
    data: (text) => void stdout.write(`${readable(text)}\n`),
    pieces: async (document) => {
      for await (const piece of document) if (stdout.write(piece) === false) await drained(stdout);
    },
    json: (_name, body) => foreignJson(versioned(body), 2),
    jsonLine: (_name, body) => foreignJson(versioned(body)),
    foreignJson,
    say: (text) => (flags.quiet ? undefined : print(text)),
    warn: print,
    failure: (text, label) => void stderr.write(`${readable(text).replace(/^error:/gm, label)}\n`),
    detail: (text) => (flags.verbose ? print(text) : undefined),
    redraw: (lines) => live?.(lines.map(readable).join('\n')),
    settle: () => live?.done(),
  };
}

/** Loaded for a terminal alone: it takes as long as all else of a short command. */
async function redrawn(stderr: NodeJS.WriteStream): Promise<ReturnType<typeof createLogUpdate>> {
  const { createLogUpdate } = await import('log-update');
  return createLogUpdate(stderr, { showCursor: true });
}

/** A command in a message is to work where it is read. */
function typable(text: string, { isNpx, examples = 'examples' }: OutputFlags): string {
  const here = text.replace(/(?<![\w/.@-])examples\/(?=\w)/g, `${examples}/`);
  return isNpx === true ? here.replace(/(?<![\w/.@-])(?<!npx )durabench (?=[a-z])/g, 'npx durabench ') : here;
}

function drained(stream: TextStream): Promise<void> {
  return new Promise((resolve) => (stream.once === undefined ? resolve() : void stream.once('drain', resolve)));
}
