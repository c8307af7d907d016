export type Channel = 'output' | 'env' | 'path' | 'summary';

/** A line that a script hands to the runner. */
export interface RunWrite {
  channel: Channel;
  /** Of a value; '' for path and summary, and where a program or a variable makes the line, so that it may be any. */
  name: string;
  /** As written, quotes gone; undefined where it runs over several lines. */
  value?: string;
  /** From 0, within the script. */
  line: number;
  /** `::set-output` and its like, which GitHub no longer obeys. */
  deprecated: boolean;
}

const CHANNELS: Record<string, Channel> = {
  GITHUB_OUTPUT: 'output',
  GITHUB_ENV: 'env',
  GITHUB_PATH: 'path',
  GITHUB_STEP_SUMMARY: 'summary',
};
const FILE = /GITHUB_(?:OUTPUT|ENV|PATH|STEP_SUMMARY)/;
const COMMAND = /::(set-output|set-env|add-path)(?: name=([\w-]+))?::(.*)/;
const PAIR = /(?:^|[\s"'`(,$])([A-Za-z_][\w-]*)(=|<<)/;
const SET_OUTPUT = /\b(?:core\.)?(setOutput|exportVariable)\(\s*['"`]([\w-]+)['"`]\s*,\s*(.*)/;
const LONGEST_LINE = 2_000;

/** What a bash, PowerShell, Python or JavaScript script writes to the runner's files. Linear in the script's length. */
export function runWrites(script: string): RunWrite[] {
  const lines = script.split('\n').map((line) => line.slice(0, LONGEST_LINE));
  return lines.flatMap((line, index) => [...commandsOf(line, index), ...fileWrites(lines, index)]);
}

function commandsOf(line: string, index: number): RunWrite[] {
  const command = COMMAND.exec(line);
  if (command) {
    const [, kind, name = '', value = ''] = command;
    const channel: Channel = kind === 'set-output' ? 'output' : kind === 'set-env' ? 'env' : 'path';
    return [{ channel, name, value: value.trim().replace(/["']$/, ''), line: index, deprecated: true }];
  }
  const call = SET_OUTPUT.exec(line);
  if (!call) return [];
  const [, kind, name = '', value = ''] = call;
  const channel: Channel = kind === 'setOutput' ? 'output' : 'env';
  return [{ channel, name, value: unquoted(value.trim().replace(/\);?$/, '')), line: index, deprecated: false }];
}

function fileWrites(lines: string[], index: number): RunWrite[] {
  const line = lines[index] ?? '';
  const file = FILE.exec(line)?.[0];
  const channel = file && CHANNELS[file];
  if (!channel || line.trimStart().startsWith('#') || !writes(line)) return [];
  if (channel === 'path' || channel === 'summary') return [{ channel, name: '', line: index, deprecated: false }];
  const named = pairLines(lines, index).flatMap((at) => {
    const pair = pairOf(lines[at] ?? '');
    return pair ? [{ ...pair, channel, line: at, deprecated: false }] : [];
  });
  const isComputed = named.length === 0 && !isLiteral(line);
  return isComputed ? [{ channel, name: '', line: index, deprecated: false }] : named;
}

/** Text without a variable, printed by the shell itself: what it lacks is not there. */
function isLiteral(line: string): boolean {
  const [printed = ''] = line.split(/>>?|\|/);
  return /^\s*(?:echo|printf|Write-Output|["'])/i.test(line) && !/[$`]/.test(printed);
}

/** Reading such a file is no write. */
function writes(line: string): boolean {
  return />|tee\b|Out-File|Add-Content|open\(|append|write/i.test(line);
}

/** Lines that hold the pairs: the line itself, a here-document that begins on it, or a group that ends on it. */
function pairLines(lines: string[], index: number): number[] {
  const line = lines[index] ?? '';
  if (/^\s*[})]|^\s*done\b/.test(line)) return groupBefore(lines, index);
  const heredoc = /\bcat\b.*<<-?\s*['"]?(\w+)/.exec(line) ?? /\btee\b.*<<-?\s*['"]?(\w+)/.exec(line);
  if (heredoc) return linesUntil(lines, index, heredoc[1] ?? '');
  if (/open\(/.test(line)) return lines.flatMap((_, at) => (at >= index && at < index + 10 ? [at] : []));
  return [index];
}

function groupBefore(lines: string[], index: number): number[] {
  const found: number[] = [];
  for (let at = index - 1; at >= 0 && index - at < 100; at -= 1) {
    found.unshift(at);
    if (/^\s*[{(]\s*$|^\s*[{(]\s+\S|\bdo\s*$/.test(lines[at] ?? '')) break;
  }
  return found;
}

function linesUntil(lines: string[], index: number, end: string): number[] {
  const found: number[] = [];
  for (let at = index + 1; at < lines.length && at - index < 100; at += 1) {
    if (lines[at]?.trim() === end) break;
    found.push(at);
  }
  return found;
}

function pairOf(line: string): { name: string; value?: string } | undefined {
  const pair = PAIR.exec(line);
  if (!pair) return undefined;
  const [matched, name = '', sign] = pair;
  if (sign === '<<') return { name };
  const rest = line.slice(pair.index + matched.length).replace(/(?:>>|\|| ,? ?file=).*$/, '');
  return { name, value: unquoted(rest) };
}

function unquoted(text: string): string {
  return text
    .trim()
    .replace(/^["'`]|["'`]$/g, '')
    .replace(/\\n$/, '');
}
