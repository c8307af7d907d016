import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { expect, test } from 'vitest';
import { PACKAGE_ROOT } from '../fixtures/package-root.js';

// Every page of the repository, as git knows them: its links lead somewhere, and the index leads to every page of docs.

const INDEX = 'docs/README.md';
/** Not pages: what models are asked and answer, libraries that are graded, and authored tasks. */
const NO_PAGE = /(^|\/)(prompts|answers|projects|dataset\/tasks)\//;

const listed = execFileSync('git', ['ls-files', '-co', '--exclude-standard', '*.md'], { cwd: PACKAGE_ROOT });
const pages = listed
  .toString('utf8')
  .split('\n')
  .filter((path) => path !== '' && !NO_PAGE.test(path) && existsSync(join(PACKAGE_ROOT, path)));

interface Link {
  /** Path from the root of the repository. */
  path: string;
  anchor: string;
  written: string;
}

const textOf = (page: string): string => readFileSync(join(PACKAGE_ROOT, page), 'utf8');
/** Fenced blocks and code in a line hold no links. */
const proseOf = (page: string): string =>
  textOf(page)
    .replaceAll(/^(`{3,}).*?^\1/gms, '')
    .replaceAll(/`[^`\n]*`/g, (code) => code.replaceAll(/[[\]()]/g, ''));

function linksOf(page: string): Link[] {
  const targets = [...proseOf(page).matchAll(/\]\(([^)\s]+)(?: "[^"]*")?\)/g)].map(([, target = '']) => target);
  return targets
    .filter((target) => !/^[a-z]+:/.test(target))
    .map((written) => {
      const [path = '', anchor = ''] = written.split('#');
      return { path: path === '' ? page : normalize(join(dirname(page), path)).replace(/\/$/, ''), anchor, written };
    });
}

/** The anchors of a page, made of its headings as GitHub makes them. */
function anchorsOf(page: string): Set<string> {
  const headings = [...proseOf(page).matchAll(/^#{1,6} +(.+)$/gm)].map(([, heading = '']) =>
    heading
      .replaceAll(/\]\([^)]*\)/g, '')
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
      .trim()
      .replaceAll(' ', '-'),
  );
  const seen = new Map<string, number>();
  return new Set(
    headings.map((heading) => {
      const before = seen.get(heading) ?? 0;
      seen.set(heading, before + 1);
      return before === 0 ? heading : `${heading}-${before}`;
    }),
  );
}

test.each(pages)('%s: every link leads to a file, and to a heading of it', (page) => {
  const lost = linksOf(page).filter(({ path, anchor }) => {
    if (!existsSync(join(PACKAGE_ROOT, path))) return true;
    return anchor !== '' && path.endsWith('.md') && !anchorsOf(path).has(anchor);
  });
  expect(lost.map(({ written }) => written)).toEqual([]);
});

test('the index leads to every page of docs, to those of suites and to what is beside the README', () => {
  const reached = new Set([INDEX]);
  for (const page of reached) {
    for (const { path } of linksOf(page))
      if (path.endsWith('.md') && existsSync(join(PACKAGE_ROOT, path))) reached.add(path);
  }
  const wanted = pages.filter((page) => /^(docs|tasks|deploy)\//.test(page) || !page.includes('/'));
  expect(wanted.length).toBeGreaterThan(50);
  expect(wanted.filter((page) => !reached.has(page))).toEqual([]);
});
