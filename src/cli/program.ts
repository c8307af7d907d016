import { join, relative } from 'node:path';
import { Command, CommanderError } from 'commander';
import picocolors from 'picocolors';
import type { CommandEntry } from './command-entry.js';
import { EXIT, type ExitCode } from './exit-code.js';
import { failureDocument, failureReport } from './format/failure-report.js';
import { createOutput, type Output, type OutputFlags, type TextStream } from './format/output.js';
import { createSession, type Session } from './session.js';
import { unknownHelp, usageProblem } from './options/usage-problem.js';
import { calledBy, readEnvironment, type Variables } from '../config/env.js';
import { packageRoot } from '../config/package-root.js';
import { COMMANDS } from './commands.js';

/** One command line. */
export interface CommandLine {
  /** Arguments after `durabench`. */
  argv: readonly string[];
  stdout: TextStream;
  stderr: TextStream;
  /** Environment variables; the process's own when absent. */
  variables?: Variables;
  cwd: string;
}

/** Runs a command line and returns the exit code. Never throws: every failure is printed in three lines. */
export async function runCommandLine(line: CommandLine): Promise<number> {
  let exitCode: ExitCode = EXIT.ok;
  const program = newProgram(line);
  for (const entry of await entriesFor(line.argv)) {
    entry.declare(program).action(async (...given: unknown[]) => {
      const command = given.at(-1) as Command;
      const session = await sessionOf(line, program);
      exitCode = await entry.action(session, command.processedArgs.flat().filter(isText), command.opts(), program);
    });
  }
  try {
    const unknown = unknownHelp(line.argv, program);
    if (unknown !== null) throw unknown;
    await program.parseAsync([...line.argv], { from: 'user' });
    return exitCode;
  } catch (error) {
    const flags = program.opts<{ json?: boolean; verbose?: boolean; color: boolean }>();
    if (isHelp(error) && (error.exitCode === 0 || flags.json !== true))
      return error.exitCode === 0 ? EXIT.ok : EXIT.usage;
    const shown = error instanceof CommanderError ? usageProblem(error, program) : error;
    const report = failureReport(shown, { stack: flags.verbose === true });
    const isColored = flags.color && line.stderr.isTTY === true && !isNoColor(line);
    const { red } = picocolors.createColors(isColored);
    const output = await outputOf(line, program);
    if (flags.json === true) output.json('error', failureDocument(shown));
    output.failure(report.text, red('error:'));
    return report.exitCode;
  }
}

/** The command that is named; all where none is, and where it is about all. */
async function entriesFor(argv: readonly string[]): Promise<CommandEntry[]> {
  const named = argv.find((word) => !word.startsWith('-')) ?? '';
  const isOne = Object.hasOwn(COMMANDS, named) && named !== 'completion';
  return Promise.all((isOne ? [COMMANDS[named]] : Object.values(COMMANDS)).map((load) => load!()));
}

function newProgram(line: CommandLine): Command {
  return new Command('durabench')
    .description('Durable LLM benchmark campaigns: every trial is a Temporal workflow.')
    .version(VERSION)
    .option('--json', 'print data as JSON on stdout; progress stays on stderr')
    .option('-q, --quiet', 'no progress')
    .option('-v, --verbose', 'details, and stack traces of failures')
    .option('--wide', 'tables with all columns, also where the terminal is narrower')
    .option('--no-color', 'no colours (also: NO_COLOR)')
    .configureHelp({ showGlobalOptions: true, sortSubcommands: false })
    .configureOutput({
      writeOut: (text) => void line.stdout.write(text),
      writeErr: (text) => void line.stderr.write(text),
      outputError: () => undefined, // told in three lines, as every other problem
    })
    .exitOverride();
}

/** Help and version were printed already: asked for, or because no command was named. */
function isHelp(error: unknown): error is CommanderError {
  return error instanceof CommanderError && (error.exitCode === 0 || error.code === 'commander.help');
}

/** Also in package.json; a test compares them. */
const VERSION = '0.1.0';

async function sessionOf(line: CommandLine, program: Command): Promise<Session> {
  return createSession({ variables: line.variables, cwd: line.cwd, output: await outputOf(line, program) });
}

function outputOf(line: CommandLine, program: Command): Promise<Output> {
  const given = program.opts<{ json?: boolean; quiet?: boolean; verbose?: boolean; wide?: boolean }>();
  const flags: OutputFlags = {
    json: given.json === true,
    quiet: given.quiet === true,
    verbose: given.verbose === true,
    wide: given.wide === true,
    isNpx: calledBy(line.variables) === 'npx',
    examples: relative(line.cwd, join(packageRoot(import.meta.url), 'examples')) || '.',
  };
  return createOutput(line, flags);
}

/** NO_COLOR must count even where the rest of the environment is what is wrong. */
function isNoColor(line: CommandLine): boolean {
  try {
    return readEnvironment(line.variables, line.cwd).noColor;
  } catch {
    return true;
  }
}

function isText(value: unknown): value is string {
  return typeof value === 'string';
}
