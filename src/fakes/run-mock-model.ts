import { closeSync, openSync, writeSync } from 'node:fs';
import type { Problem } from '../contract/problem.js';
import { UserError } from '../domain/failure/user-error.js';
import type { Suite } from '../suite/suite.js';
import { readRulesFile } from './rules-file.js';
import { startScriptedModelServer, type ScriptedModelServer } from './scripted-model-server.js';

/** What `durabench mock-model RULES.yaml --port N --log FILE` is run with. */
export interface MockModelOptions {
  rulesPath: string;
  /** 0: a free one. */
  port: number;
  host: string;
  /** Whose players the rules may name; those of Durabench where absent. */
  suites?: () => Promise<readonly Suite[]>;
  /** JSON Lines, one request a line, appended; null for none. */
  logPath: string | null;
}

/** The scripted model as a command: a running server, or everything that is wrong with the input. */
export async function runMockModel(options: MockModelOptions): Promise<ScriptedModelServer | { problems: Problem[] }> {
  const read = readRulesFile(options.rulesPath);
  if ('problems' in read) return read;
  const log = options.logPath === null ? null : openLog(options.logPath);
  if (log !== null && 'problems' in log) return log;
  try {
    const server = await startScriptedModelServer({
      rules: read.rules,
      port: options.port,
      host: options.host,
      ...(options.suites && { suites: options.suites }),
      // Synchronous, so that a line is on its way before the reply is: a killed client can be counted on it.
      ...(log ? { onRequest: (request) => void writeSync(log.file, `${JSON.stringify(request)}\n`) } : {}),
    });
    const close = async (): Promise<void> => {
      await server.close();
      if (log) closeSync(log.file);
    };
    return { ...server, close };
  } catch (error) {
    if (log) closeSync(log.file);
    return { problems: error instanceof UserError ? [...error.problems] : [listenProblem(options, error)] };
  }
}

function openLog(path: string): { file: number } | { problems: Problem[] } {
  try {
    return { file: openSync(path, 'a') };
  } catch {
    return {
      problems: [
        {
          message: `The log ${path} cannot be written.`,
          expected: 'a file in a folder that exists and may be written to',
          fix: 'Choose another path for --log, or leave it out.',
        },
      ],
    };
  }
}

function listenProblem(options: MockModelOptions, error: unknown): Problem {
  const code = (error as { code?: string }).code ?? String(error);
  return {
    message: `The scripted model cannot listen on ${options.host}:${options.port} (${code}).`,
    expected: 'a free port of this machine, or 0 for any free one',
    fix: code === 'EADDRINUSE' ? 'Stop what uses the port, or leave --port out.' : 'Choose another --host or --port.',
  };
}
