import { expect, test } from 'vitest';
import { includedBy, matchesGlob } from './glob.js';

// The cheat sheet of GitHub's workflow syntax.
test.each<[string, string[], string[]]>([
  ['feature/*', ['feature/my-branch', 'feature/'], ['feature/a/b', 'feature']],
  ['feature/**', ['feature/beta-a/my-branch', 'feature/x'], ['features/x']],
  ['main', ['main'], ['Main', 'main2']],
  ['*', ['main', 'releases'], ['all/the/branches']],
  ['**', ['all/the/branches', 'every/tag'], []],
  ['*feature', ['mona-feature', 'feature', 'ver-10-feature'], ['a/feature']],
  ['v2*', ['v2', 'v2.0', 'v2.9'], ['v1', 'v2/0']],
  ['v[12].[0-9]+.[0-9]+', ['v1.10.1', 'v2.0.0'], ['v3.0.0', 'v1.0', 'v1..0']],
  ['*.jsx?', ['page.js', 'page.jsx'], ['page.jsxx', 'a/page.js']],
  ['**.js', ['index.js', 'js/index.js', 'src/js/app.js'], ['index.jsx']],
  ['docs/*', ['docs/README.md', 'docs/file.txt'], ['docs/a/b.md']],
  ['docs/**', ['docs/README.md', 'docs/mona/octocat.txt'], ['doc/x', 'docs']],
  ['docs/**/*.md', ['docs/README.md', 'docs/mona/hello-world.md', 'docs/a/markdown/file.md'], ['docs/a.txt']],
  ['**/docs/**', ['docs/hello.md', 'dir/docs/my-file.txt', 'space/docs/plan/space.doc'], ['mydocs/a']],
  ['**/README.md', ['README.md', 'js/README.md'], ['READMEamd', 'XREADME.md']],
  ['**/*src/**', ['a/src/app.js', 'my-src/code/js/app.js'], ['src']],
  ['**/*-post.md', ['my-post.md', 'path/their-post.md'], ['post.md']],
  ['**/migrate-*.sql', ['migrate-10909.sql', 'db/migrate-v1.0.sql', 'db/sept/migrate-v1.sql'], ['migrate.sql']],
  ['[CB]at', ['Cat', 'Bat'], ['cat', 'at']],
  ['\\*lit', ['*lit'], ['xlit']],
  ['./src/**', [], ['src/a']],
  ['[', ['['], ['x']],
])('%s', (pattern, matching, others) => {
  expect(matching.filter((text) => !matchesGlob(pattern, text))).toEqual([]);
  expect(others.filter((text) => matchesGlob(pattern, text))).toEqual([]);
});

test('the last pattern that matches decides', () => {
  expect(includedBy(['*.md', '!README.md'], 'README.md')).toBe(false);
  expect(includedBy(['!README.md', '*.md'], 'README.md')).toBe(true);
  expect(includedBy(['*.md', '!README.md', 'README*'], 'README.md')).toBe(true);
  // All negative: nothing is ever included.
  expect(includedBy(['!docs/**'], 'src/a.ts')).toBe(false);
});

test('a pattern that would explode elsewhere takes the product of the lengths', () => {
  expect(matchesGlob(`${'*a'.repeat(500)}b`, 'a'.repeat(2000))).toBe(false);
  expect(matchesGlob(`${'[a-z]+'.repeat(200)}0`, 'a'.repeat(1000))).toBe(false);
});
