import { plainTable } from '../../../report/result-table.js';
import type { CommandEntry } from '../../command-entry.js';
import { EXIT } from '../../exit-code.js';
import { allSuites } from '../../../suite/registry.js';

/** `durabench suites` */
export const suites: CommandEntry = {
  declare: (program) => program.command('suites').description('the benchmarks, their generators and projects'),
  action: async (session) => {
    const { output } = session;
    const all = await allSuites(session.environment());
    if (output.flags.json) {
      output.json('suites', {
        suites: all.map(({ manifest, generators, dataset, from }) => ({
          id: manifest.id,
          title: manifest.title,
          version: manifest.version,
          package: from === null ? null : { name: from.name, version: from.version, folder: from.folder },
          dataset_version: dataset.build?.version ?? null,
          needs_docker: manifest.needsDocker,
          stages: Object.entries(manifest.stages).flatMap(([stage, routing]) => (routing === null ? [] : [stage])),
          generators: Object.entries(generators).map(([id, { needsModel, needsPath, description }]) => {
            return { id, needs_model: needsModel, needs_path: needsPath, description };
          }),
          projects: [...dataset.projects],
        })),
      });
      return EXIT.ok;
    }
    for (const { manifest, generators, dataset, from } of all) {
      // As campaigns and reports name it; tasks that are not built have no version of their own.
      const tasks = dataset.build === undefined ? '' : `, dataset ${manifest.id}@${dataset.build.version}`;
      output.data(`${manifest.id} (version ${manifest.version}${tasks}): ${manifest.title}`);
      if (from !== null) output.data(`  package: ${from.name} ${from.version} (${from.folder})`);
      if (dataset.projects.length > 0) output.data(`  projects: ${dataset.projects.join(', ')}`);
      const rows = Object.entries(generators).map(([id, { needsModel, needsPath, description }]) => {
        const needs = [needsModel ? ['model'] : [], needsPath ? ['path'] : []].flat().join(', ');
        return [`  ${id}`, needs === '' ? '–' : needs, description];
      });
      output.data(`${plainTable(['  generator', 'needs', 'what it is'], rows)}\n`);
    }
    return EXIT.ok;
  },
};
