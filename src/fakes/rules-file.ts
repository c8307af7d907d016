import { readdirSync, readFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import type { Problem } from '../contract/problem.js';
import { checkShape, inFileOrder } from '../domain/shape/shape-problems.js';
import { yamlSource } from '../domain/shape/yaml-source.js';
import { rulesSchema, type ModelRule, type ModelRules, type ScriptedReply } from './model-rules.js';

/** Reads a rules file with the files it names, or says everything that is wrong with it. */
export function readRulesFile(path: string): { rules: ModelRules } | { problems: Problem[] } {
  const text = readText(path);
  if (text === undefined)
    return {
      problems: [
        {
          message: `The rules file ${path} cannot be read.`,
          expected: 'a YAML file of rules for the scripted model',
          fix: 'Check the path; examples/ has a rules file to begin with.',
        },
      ],
    };
  return parseRules(text, path);
}

/** Parses the text of a rules file; what it names is looked for in the file's folder. */
export function parseRules(text: string, file: string): { rules: ModelRules } | { problems: Problem[] } {
  const source = yamlSource(text, file);
  if (source.problems.length > 0) return { problems: source.problems };
  const { value: read, problems: misfits } = checkShape(
    { schema: rulesSchema, value: source.value ?? {}, path: [] },
    source,
  );
  if (read === undefined) return { problems: inFileOrder(misfits) };
  const folder = dirname(file);
  const problems = playerProblems(read);
  const load = <Reply extends ScriptedReply>(reply: Reply, where: string): Reply => {
    problems.push(...replyProblems(reply, where));
    if (reply.file === undefined) return reply;
    if (!GROUP.test(reply.file) || where === 'default')
      return { ...reply, answer: fileText(reply.file, folder, where, problems) };
    return { ...reply, answers: answerFiles(reply.file, folder, where, problems) };
  };
  const rules = {
    models: read.models,
    ...(read.suite === undefined ? {} : { suite: read.suite }),
    ...(read.library === undefined ? {} : { library: resolve(folder, read.library) }),
    rules: read.rules.map((rule, index) => {
      problems.push(...regexProblems(rule, `rules[${index}]`));
      return load(rule, `rules[${index}]`);
    }),
    ...(read.default ? { default: load(read.default, 'default') } : {}),
    ...(read.endpoint ? { endpoint: read.endpoint } : {}),
    ...(read.limits ? { limits: read.limits } : {}),
    outages: read.outages,
    ...(read.errors ? { errors: read.errors } : {}),
    batches: read.batches,
  };
  return problems.length > 0 ? { problems } : { rules };
}

function playerProblems({ suite, library, rules, default: last }: ModelRules): Problem[] {
  if (suite !== undefined || library !== undefined || [...rules, last].every((reply) => reply?.plays === undefined))
    return [];
  return [
    {
      message: 'A rule plays, and neither suite nor library is there.',
      expected:
        'plays together with suite, whose player answers, or with library, the folder of a Python library to play with',
      fix: 'Add `suite:` at the top, the id of the suite.',
    },
  ];
}

function replyProblems(reply: ScriptedReply, where: string): Problem[] {
  const texts = (['answer', 'file', 'template', 'plays', 'refusal', 'toolCall'] as const).filter(
    (key) => reply[key] !== undefined,
  );
  const failing = reply.status !== undefined || reply.cut !== undefined || reply.malformed !== undefined;
  if (texts.length > 1 || (texts.length === 0 && !failing))
    return [
      {
        message: `${where} has ${texts.length === 0 ? 'no answer' : `${texts.join(' and ')} at once`}.`,
        expected:
          'exactly one of answer, file, template, plays, refusal and toolCall; none only with status, cut or malformed',
        fix: texts.length === 0 ? 'Add `answer:` with the text to reply.' : 'Keep one of them.',
      },
    ];
  return [];
}

function regexProblems({ match: { regex }, template, file = '' }: ModelRule, where: string): Problem[] {
  const key = template !== undefined ? 'template' : GROUP.test(file) ? 'file' : undefined;
  if (key !== undefined && regex === undefined)
    return [
      {
        message: `${where}.${key} has no groups to be filled from.`,
        expected: `${key} together with match.regex`,
        fix: key === 'template' ? 'Add match.regex, or use answer instead of template.' : 'Add match.regex.',
      },
    ];
  try {
    if (regex !== undefined) new RegExp(regex, 's');
    return [];
  } catch (error) {
    return [
      {
        message: `${where}.match.regex: ${error instanceof Error ? error.message : String(error)}`,
        expected: 'a JavaScript regular expression without slashes around it',
        fix: 'Correct it; in YAML write it in single quotes.',
      },
    ];
  }
}

function fileText(file: string, folder: string, where: string, problems: Problem[]): string {
  const text = readText(resolve(folder, file));
  if (text === undefined)
    problems.push({
      message: `${where}.file: ${file} cannot be read.`,
      expected: `a file relative to the rules file (${folder})`,
      fix: 'Check the name.',
    });
  return text ?? '';
}

const GROUP = /\{\{\s*\w+\s*\}\}/;

/**
 * Every file that a name with groups can stand for, as it is then written. A group is one part of a path, or of its name: what a request
 * says leads nowhere else.
 */
function answerFiles(file: string, folder: string, where: string, problems: Problem[]): Record<string, string> {
  const fixed = file.slice(0, file.search(GROUP));
  const top = fixed.slice(0, fixed.lastIndexOf('/') + 1);
  const pattern = file.split(new RegExp(GROUP, 'g')).map((part) => part.replace(/[$()*+.?[\\\]^{|}]/g, '\\$&'));
  const isMeant = new RegExp(`^${pattern.join('[^/]+')}$`);
  const found = filesBelow(resolve(folder, top)).map((path) => `${top}${path}`);
  const answers = found.flatMap((path) => {
    const text = isMeant.test(path) ? readText(resolve(folder, path)) : undefined;
    return text === undefined ? [] : [[path, text] as const];
  });
  if (answers.length === 0)
    problems.push({
      message: `${where}.file: no file is called like ${file}.`,
      expected: `files relative to the rules file (${folder}), each group a part of a name`,
      fix: 'Check the names.',
    });
  return Object.fromEntries(answers);
}

function filesBelow(folder: string): string[] {
  try {
    return readdirSync(folder, { recursive: true, encoding: 'utf8' }).map((path) => path.replaceAll('\\', '/'));
  } catch {
    return [];
  }
}

function readText(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return undefined;
  }
}
