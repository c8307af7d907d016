import { readdirSync, readFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { distance } from 'fastest-levenshtein';
import { parseDocument } from 'yaml';
import { z } from 'zod';
import type { Problem } from '../contract/problem.js';
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
  return parseRules(text, dirname(path));
}

/** Parses the text of a rules file; `folder` is where the files it names are looked for. */
export function parseRules(text: string, folder: string): { rules: ModelRules } | { problems: Problem[] } {
  const document = parseDocument(text);
  const yamlProblems = document.errors.map((error) => ({
    message: `The rules file is not YAML: ${error.message.split('\n')[0]}`,
    expected:
      'YAML with the keys models, suite, library, rules, default, endpoint, limits, outages, errors and batches',
    fix: 'Correct the line; texts with ":" or "#" in them need quotes or a "|" block.',
  }));
  if (yamlProblems.length > 0) return { problems: yamlProblems };
  const given: unknown = document.toJS() ?? {};
  const parsed = rulesSchema.safeParse(given);
  if (!parsed.success) return { problems: parsed.error.issues.flatMap((issue) => problemsOfIssue(issue, given)) };
  const problems: Problem[] = playerProblems(parsed.data);
  const load = <Reply extends ScriptedReply>(reply: Reply, where: string): Reply => {
    problems.push(...replyProblems(reply, where));
    if (reply.file === undefined) return reply;
    if (!GROUP.test(reply.file) || where === 'default')
      return { ...reply, answer: fileText(reply.file, folder, where, problems) };
    return { ...reply, answers: answerFiles(reply.file, folder, where, problems) };
  };
  const rules = {
    models: parsed.data.models,
    ...(parsed.data.suite === undefined ? {} : { suite: parsed.data.suite }),
    ...(parsed.data.library === undefined ? {} : { library: resolve(folder, parsed.data.library) }),
    rules: parsed.data.rules.map((rule, index) => {
      problems.push(...regexProblems(rule, `rules[${index}]`));
      return load(rule, `rules[${index}]`);
    }),
    ...(parsed.data.default ? { default: load(parsed.data.default, 'default') } : {}),
    ...(parsed.data.endpoint ? { endpoint: parsed.data.endpoint } : {}),
    ...(parsed.data.limits ? { limits: parsed.data.limits } : {}),
    outages: parsed.data.outages,
    ...(parsed.data.errors ? { errors: parsed.data.errors } : {}),
    batches: parsed.data.batches,
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

function problemsOfIssue(issue: z.core.$ZodIssue, given: unknown): Problem[] {
  const where = issue.path.reduce<string>((path, part) => {
    if (typeof part === 'number') return `${path}[${part}]`;
    return path === '' ? String(part) : `${path}.${String(part)}`;
  }, '');
  if (issue.code === 'unrecognized_keys') {
    const known = keysAt(issue.path);
    return issue.keys.map((key) => unknownKeyProblem({ where, key, known }));
  }
  const value = issue.path.reduce<unknown>((at, part) => (at as Record<PropertyKey, unknown> | null)?.[part], given);
  const shown = JSON.stringify(value) ?? 'missing';
  return [
    {
      message: `${where || 'The rules file'} is ${shown.length > 60 ? `${shown.slice(0, 60)}…` : shown}.`,
      expected: `${issue.message.replace(/^Invalid (input|option): /, '')} (docs/guides/mock-model.md)`,
      fix: 'Correct this value, or remove the key.',
    },
  ];
}

function unknownKeyProblem({ where, key, known }: { where: string; key: string; known: readonly string[] }): Problem {
  const nearest = [...known].sort((a, b) => distance(key, a) - distance(key, b))[0] ?? '';
  return {
    message: `${where === '' ? key : `${where}.${key}`} is not a key of a rules file.`,
    expected: `${known.join(', ')} (docs/guides/mock-model.md)`,
    fix: distance(key, nearest) <= Math.min(3, key.length - 1) ? `Did you mean "${nearest}"?` : 'Remove it.',
  };
}

/** A part of a JSON Schema. */
interface SchemaNode {
  properties?: Record<string, SchemaNode>;
  items?: SchemaNode;
  anyOf?: SchemaNode[];
}

/** The keys that the schema has at a place. */
function keysAt(path: readonly PropertyKey[]): string[] {
  const whole = z.toJSONSchema(rulesSchema, { io: 'input', unrepresentable: 'any' }) as SchemaNode;
  const alternatives = (node: SchemaNode): SchemaNode[] => [node, ...(node.anyOf ?? []).flatMap(alternatives)];
  const inner = (node: SchemaNode, part: PropertyKey): SchemaNode | undefined =>
    typeof part === 'number' ? node.items : node.properties?.[String(part)];
  const nodes = path.reduce<SchemaNode[]>(
    (found, part) => found.flatMap((node) => inner(node, part) ?? []).flatMap(alternatives),
    alternatives(whole),
  );
  return nodes.flatMap(({ properties = {} }) => Object.keys(properties));
}
