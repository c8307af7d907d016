import { expressionLibrary, type Library } from './actions.js';

type Expr = ReturnType<InstanceType<Library['Parser']>['parse']>;
type Visitor = Parameters<Expr['accept']>[0];
type FunctionInfo = ConstructorParameters<Library['Parser']>[2][number];

/** A property an expression reads: `steps.a.outputs.v` is `['steps', 'a', 'outputs', 'v']`; `*` for all, `?` for a computed key. */
export type ContextPath = string[];

export interface Expression {
  source: string;
  /** Missing where it does not parse. */
  ast?: Expr;
  error?: string;
  paths: ContextPath[];
  /** Lower case. */
  functions: string[];
  /** Strings and numbers written in it. */
  literals: string[];
}

export const CONTEXTS = [
  'github',
  'env',
  'vars',
  'job',
  'jobs',
  'steps',
  'runner',
  'secrets',
  'strategy',
  'matrix',
  'needs',
  'inputs',
];

const STATUS_FUNCTIONS = ['success', 'failure', 'always', 'cancelled'];

const FUNCTIONS: FunctionInfo[] = [
  ...STATUS_FUNCTIONS.map((name) => ({ name, minArgs: 0, maxArgs: 255 })),
  { name: 'hashFiles', minArgs: 1, maxArgs: 255 },
];

/** Never throws: the library refuses what is longer than 21,000 characters or nested deeper than 50 levels. */
export function parseExpression(source: string): Expression {
  const found: Expression = { source, paths: [], functions: [], literals: [] };
  try {
    const ast = new (expressionLibrary().Parser)(tokensOf(source), CONTEXTS, FUNCTIONS).parse() as Expr | undefined;
    if (!ast) return { ...found, error: 'the expression is empty' };
    collect(ast, found);
    return { ...found, ast };
  } catch (error) {
    return { ...found, error: error instanceof Error ? error.message : String(error) };
  }
}

export function asksForStatus({ functions }: Expression): boolean {
  return functions.some((name) => STATUS_FUNCTIONS.includes(name));
}

function tokensOf(source: string): ConstructorParameters<Library['Parser']>[0] {
  const { tokens } = new (expressionLibrary().Lexer)(source).lex();
  // The lexer unescapes only the first '' of a string.
  return tokens.map((token) =>
    token.lexeme.startsWith("'") ? { ...token, value: token.lexeme.slice(1, -1).replaceAll("''", "'") } : token,
  );
}

function collect(ast: Expr, found: Expression): void {
  const visit = (node: Expr): void => void node.accept(visitor);
  const visitor: Visitor = {
    visitLiteral: ({ literal }) => {
      found.literals.push(literal.coerceString());
    },
    visitUnary: ({ expr }) => visit(expr),
    visitBinary: ({ left, right }) => [left, right].forEach(visit),
    visitLogical: ({ args }) => args.forEach(visit),
    visitGrouping: ({ group }) => visit(group),
    visitContextAccess: ({ name }) => {
      found.paths.push([name.lexeme.toLowerCase()]);
    },
    visitIndexAccess: (access) => {
      const path = pathOf(access);
      if (path) found.paths.push(path);
      else visit(access.expr);
      computedKeys(access).forEach(visit);
    },
    visitFunctionCall: ({ functionName, args }) => {
      found.functions.push(functionName.lexeme.toLowerCase());
      args.forEach(visit);
    },
  };
  visit(ast);
}

/** Undefined where what is indexed is no context: the result of a function, say. */
function pathOf(node: Expr): ContextPath | undefined {
  if (isIndexAccess(node)) {
    const base = pathOf(node.expr);
    return base && [...base, keyOf(node.index)];
  }
  return isContextAccess(node) ? [node.name.lexeme.toLowerCase()] : undefined;
}

function computedKeys(node: Expr): Expr[] {
  if (!isIndexAccess(node)) return [];
  const computed = keyOf(node.index) === '?' ? [node.index] : [];
  return pathOf(node) ? [...computedKeys(node.expr), ...computed] : computed;
}

function keyOf(index: Expr): string {
  if (isLiteral(index)) return index.literal.coerceString();
  return isStar(index) ? '*' : '?';
}

type IndexAccess = Parameters<Visitor['visitIndexAccess']>[0];
type ContextAccess = Parameters<Visitor['visitContextAccess']>[0];
type Literal = Parameters<Visitor['visitLiteral']>[0];

// The library exports no classes of its nodes.
function isIndexAccess(node: Expr): node is IndexAccess {
  return 'index' in node && 'expr' in node;
}

function isContextAccess(node: Expr): node is ContextAccess {
  return 'name' in node;
}

function isLiteral(node: Expr): node is Literal {
  return 'literal' in node;
}

function isStar(node: Expr): boolean {
  return Object.keys(node).length === 0;
}
