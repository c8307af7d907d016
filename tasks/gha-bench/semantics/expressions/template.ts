import type { ScalarNode } from '../nodes/node.js';
import { parseExpression, type Expression } from './expression.js';

/** A string with `${{ … }}` in it: text and expressions in turn. */
export interface Template {
  parts: (string | Expression)[];
  /** An expression was not closed. */
  open: boolean;
}

const parsed = new WeakMap<ScalarNode, Template>();

export function templateOf(scalar: ScalarNode): Template {
  const known = parsed.get(scalar);
  if (known) return known;
  const template = parseTemplate(scalar.text);
  parsed.set(scalar, template);
  return template;
}

export function parseTemplate(text: string): Template {
  const parts: Template['parts'] = [];
  let from = 0;
  for (;;) {
    const start = text.indexOf('${{', from);
    if (start < 0) break;
    if (start > from) parts.push(text.slice(from, start));
    const end = closing(text, start + 3);
    if (end < 0) return { parts: [...parts, text.slice(start)], open: true };
    parts.push(parseExpression(text.slice(start + 3, end).trim()));
    from = end + 2;
  }
  if (from < text.length || parts.length === 0) parts.push(text.slice(from));
  return { parts, open: false };
}

export function expressionsOf(scalar: ScalarNode): Expression[] {
  return templateOf(scalar).parts.filter((part) => typeof part !== 'string');
}

const conditions = new WeakMap<ScalarNode, Expression>();

/** Of an `if`, whose `${{ }}` may be left out. */
export function conditionOf(scalar: ScalarNode): Expression {
  const [sole] = expressionsOf(scalar);
  if (sole) return sole;
  const known = conditions.get(scalar) ?? parseExpression(scalar.text);
  conditions.set(scalar, known);
  return known;
}

/** The only part where nothing else is written around it: its value keeps its type. */
export function soleExpression({ parts }: Template): Expression | undefined {
  const [part] = parts;
  return parts.length === 1 && typeof part === 'object' ? part : undefined;
}

/** Of the `}}` that is in no string. */
function closing(text: string, from: number): number {
  let quoted = false;
  for (let at = from; at < text.length; at += 1) {
    if (text[at] === "'") quoted = !quoted;
    if (!quoted && text[at] === '}' && text[at + 1] === '}') return at;
  }
  return -1;
}
