import { Lexer, Parser } from 'yaml';
import { CAPS } from './syntax-report.js';

/** What is open at once in text that is nested as deep as may be; beyond twice that it need not be composed to be refused. */
const MOST_OPEN = 2 * CAPS.depth + 20;

/**
 * Whether YAML is nested so deep that it must not be composed: that works by recursion, and ends a thousand levels deep in an error,
 * in another one or in the end of the process, as much stack as there is left. Read here token by token, which needs none, and only
 * as far as it is not too deep. Text of up to {@link CAPS}`.depth` levels never is.
 */
export function isNestedTooDeep(text: string): boolean {
  const parser = new Parser();
  for (const token of new Lexer().lex(text)) {
    for (const whole of parser.next(token)) void whole;
    if (parser.stack.length > MOST_OPEN) return true;
  }
  return false;
}
