import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { readEnvironment } from '../../../src/config/env.js';
import { describeWithPython } from '../../../tests/fixtures/repocraft/describe-with-python.js';

const SHIMS = fileURLToPath(new URL('../shims', import.meta.url));

/** Every name that a file binds, at its top or inside a function. */
const BOUND = `
import ast, sys
for node in ast.walk(ast.parse(open(sys.argv[1]).read())):
    if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
        print(node.id)
    elif isinstance(node, (ast.FunctionDef, ast.ClassDef)):
        print(node.name)
    elif isinstance(node, ast.arg):
        print(node.arg)
    elif isinstance(node, ast.alias):
        print(node.asname or node.name)
`;

const buildServer = readEnvironment().variable('CI') !== undefined;

describeWithPython('preludes', { buildServer }, () => {
  it('bind no name that a test may import: adaptation refuses a name that is bound twice', () => {
    const prelude = `${SHIMS}/django/prelude.py`;
    const { stdout, stderr } = spawnSync('python3', ['-c', BOUND, prelude], { encoding: 'utf8' });
    expect(stderr).toBe('');
    const names = stdout.split('\n').filter((name) => name !== '');
    expect(names).toContain('_settings');
    expect(names.filter((name) => !name.startsWith('_'))).toEqual([]);
  });
});
