import type * as expressions from '@actions/expressions';
import { githubParser } from '../../syntax/github-parser.js';

export type Library = typeof expressions;

let loaded: Library | undefined;

/** GitHub's own lexer, parser and evaluator of expressions. */
export function expressionLibrary(): Library {
  loaded ??= githubParser().expressions;
  return loaded;
}
