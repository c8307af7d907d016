import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { packageRoot } from '../config/package-root.js';
import { FAILURE_TABLE } from '../domain/failure/failure-table.js';
import { UserError } from '../domain/failure/user-error.js';
import { SUSPECT_AT, integrityMarks } from '../domain/campaign/integrity-marks.js';
import { ownSuites } from '../suite/registry.js';
import { explainCode, explainedCodes, type ExplainedCode } from './explain.js';

const cell = (text: string): string => text.replaceAll('|', '\\|');

function page(codes: readonly ExplainedCode[]): string {
  const titled = codes.map((each) => ({ ...each, title: `${each.source}: ${TITLES[each.kind]}` }));
  const titles = [...new Set(titled.map(({ title }) => title))];
  const tables = titles.map((title) => {
    const rows = titled.filter((each) => each.title === title);
    const lines = rows.map(
      ({ code, meaning, cause, next }) => `| ${['`' + code + '`', meaning, cause, next].map(cell).join(' | ')} |`,
    );
    return [`## ${title}`, '', '| code | meaning | usual cause | next |', '|---|---|---|---|', ...lines].join('\n');
  });
  const head = [
    '# Reasons, failure classes, flags and errors',
    '`durabench explain CODE` prints one of these; without a code it lists them. This page is generated: after a change run `npx vitest run src/client/explain.test.ts -u`.',
  ];
  return `${[...head, ...tables].join('\n\n')}\n`;
}

const TITLES = {
  ...{ failure: 'failures', reason: 'reasons of a failed trial', class: 'failure classes', flag: 'flags' },
  error: 'errors of commands',
};
/** `error.code` where no failure type says more. */
const ERRORS = ['usage', 'environment', 'cancelled', 'interrupted', 'internal'];

describe('explain', () => {
  it('knows every failure type, flag and error of the engine', async () => {
    const codes = explainedCodes(await ownSuites())
      .filter(({ source }) => source === 'engine')
      .map(({ code }) => code);
    const held = { forgedTrials: 1, vacuousTrials: SUSPECT_AT, copiedTrials: 0, flags: [] };
    const marks = integrityMarks({ systemId: 's', scope: 'p', repeat: 1, sha256: '', negativeControls: 3, ...held });
    expect(codes).toEqual([...Object.keys(FAILURE_TABLE), ...marks, ...ERRORS]);
  });

  it('says of each a sentence, a cause and what comes next', async () => {
    for (const { meaning, cause, next } of explainedCodes(await ownSuites())) {
      expect(meaning).toMatch(/^[A-Z`].*\.$/);
      expect(cause).toMatch(/^[A-Z`].*\.$/);
      expect(next).not.toBe('');
    }
  });

  it('is what docs/reference/codes.md holds', async () => {
    await expect(page(explainedCodes(await ownSuites()))).toMatchFileSnapshot(
      join(packageRoot(import.meta.url), 'docs/reference/codes.md'),
    );
  });

  it('tells every source that uses a code', async () => {
    expect(
      explainCode('not-localized', await ownSuites())
        .map(({ source }) => source)
        .sort(),
    ).toEqual(['echo', 'repocraft']);
  });

  it.each([
    ['test.asertion', 'did you mean test.assertion? `durabench explain` lists all'],
    ['timeout', 'did you mean test.timeout, runtime.timeout, candidate.timeout? '],
    ['rate-limit', 'did you mean model.rate-limited? '],
    ['quantum', '`durabench explain` lists all'],
    ['nope', '`durabench explain` lists all'],
    ['', '`durabench explain` lists all'],
  ])('offers the nearest codes for "%s"', async (unknown, meant) => {
    const suites = await ownSuites();
    const refused = await Promise.resolve()
      .then(() => explainCode(unknown, suites))
      .catch((error: unknown) => error);
    expect(refused).toBeInstanceOf(UserError);
    expect((refused as UserError).problems[0]?.fix?.startsWith(meant)).toBe(true);
  });
});
