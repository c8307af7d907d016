import type { ExplainedCode } from '../../../client/explain.js';
import { plainTable } from '../../../report/result-table.js';
import type { CommandEntry } from '../../command-entry.js';
import { EXIT } from '../../exit-code.js';

/** `durabench explain [CODE]` */
export const explain: CommandEntry = {
  declare: (program) =>
    program
      .command('explain')
      .argument('[code]', 'a reason, failure class, flag or error, such as test.assertion; all when left out')
      .description('what a reason, failure class, flag or error code means, its usual cause and the next command'),
  action: async (session, [code]) => {
    const { output } = session;
    const [{ explainCode, explainedCodes }, { allSuites }] = await Promise.all([
      import('../../../client/explain.js'),
      import('../../../suite/registry.js'),
    ]);
    const suites = await allSuites(session.environment());
    const codes = code === undefined ? explainedCodes(suites) : explainCode(code, suites);
    if (output.flags.json) output.json('codes', { codes: [...codes] });
    else if (code === undefined) output.data(listOf(codes, output.width));
    else output.data(codes.map(entryOf).join('\n\n'));
    return EXIT.ok;
  },
};

const listOf = (codes: readonly ExplainedCode[], width: number): string =>
  plainTable(
    ['code', 'kind', 'from', 'meaning'],
    codes.map(({ code, kind, source, meaning }) => [code, kind, source, meaning]),
    [],
    { width, ranks: [0, 2, 1, 0] },
  );

const entryOf = ({ code, kind, source, meaning, cause, next }: ExplainedCode): string =>
  [`${code} (${kind}, ${source})`, `  ${meaning}`, `  usual cause: ${cause}`, `  next: ${next}`].join('\n');
