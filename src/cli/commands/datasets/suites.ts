import { suiteList } from '../../../client/inspect/suite-list.js';
import { snakeKeys } from '../../../report/documents/snake-keys.js';
import { plainTable } from '../../../report/result-table.js';
import type { CommandEntry } from '../../command-entry.js';
import { EXIT } from '../../exit-code.js';

/** `durabench suites` */
export const suites: CommandEntry = {
  declare: (program) => program.command('suites').description('the benchmarks, their generators and projects'),
  action: async (session) => {
    const { output } = session;
    const all = await suiteList(session);
    if (output.flags.json) {
      const inJson = all.map((suite) => snakeKeys({ ...suite, generators: suite.generators.map(snakeKeys) }));
      output.json('suites', { suites: inJson });
      return EXIT.ok;
    }
    for (const { id: suite, version, title, datasetVersion, projects, generators, calibration, package: from } of all) {
      // As campaigns and reports name it.
      const tasks = datasetVersion === null ? '' : `, dataset ${suite}@${datasetVersion}`;
      output.data(`${suite} (version ${version}${tasks}): ${title}`);
      if (from !== null) output.data(`  package: ${from.name} ${from.version} (${from.folder})`);
      if (projects.length > 0) output.data(`  projects: ${projects.join(', ')}`);
      if (calibration !== null) output.data(`  calibration: ${calibrationWords(calibration)}`);
      const rows = generators.map(({ id, needsModel, needsPath, description }) => {
        const needs = [needsModel ? ['model'] : [], needsPath ? ['path'] : []].flat().join(', ');
        return [`  ${id}`, needs === '' ? '–' : needs, description];
      });
      output.data(
        `${plainTable(['  generator', 'needs', 'what it is'], rows, [], { width: output.width, ranks: [] })}\n`,
      );
    }
    return EXIT.ok;
  },
};

function calibrationWords({ kinds, voters }: { kinds: readonly string[]; voters: readonly string[] }): string {
  return [`kinds ${kinds.join(', ')}`, ...(voters.length === 0 ? [] : [`voters ${voters.join(', ')}`])].join('; ');
}
