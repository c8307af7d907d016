import type { Suite } from '../../suite/suite.js';
import type { Connection } from '../connection.js';
import type { Context } from '../context.js';
import type { Datasets } from '../durabench.js';
import { knownNames } from '../known-names.js';
import type { MadeModel } from '../plans/made-campaign.js';
import { buildCosts } from './build-costs.js';
import { buildDataset, buildOf, cancelBuild } from './build-dataset.js';
import type { Describing } from './build-request.js';
import { exportDataset } from './export-dataset.js';
import { fetchDataset } from './dataset-tools.js';
import { describedBy } from './describing.js';
import { loadPublishedSet } from './published-set.js';

/** What a client does with the tasks of suites. */
export function openDatasets(context: Context, connection: Connection): Datasets {
  const { suiteNamed } = connection;
  return {
    fetch: async (name, { projects, verify = false, version } = {}) => {
      const suite = await suiteNamed(name);
      return fetchDataset(context, { suite, projects: ofSuite(suite, projects), verify, version });
    },
    export: async (name, { out, projects, version }) => {
      const suite = await suiteNamed(name);
      return exportDataset(context, { suite, projects: ofSuite(suite, projects), version, out });
    },
    build: async (name, options = {}) => {
      const { projects, newSample = false, descriptions, signal, onProgress = () => undefined } = options;
      const suite = await suiteNamed(name);
      const describing = await describingOf(context, suite, descriptions);
      const named = ofSuite(suite, projects, buildOf(suite).projects);
      // Signals of the process are its owner's; the caller's stands in for them.
      const interrupt = { signal: signal ?? new AbortController().signal, release: () => undefined };
      const left: Context = { ...context, onInterrupt: () => interrupt };
      return buildDataset(left, { suite, projects: named, newSample, describing, detach: false }, onProgress);
    },
    cancel: async (name, { descriptions } = {}) => {
      const suite = await suiteNamed(name);
      return cancelBuild(context, { suite, describing: await describingOf(context, suite, descriptions) });
    },
    published: async (name, { folder, projects = [], dryRun = false }) =>
      loadPublishedSet(context, { suite: await suiteNamed(name), folder, projects, dryRun }),
    costs: async (name) => buildCosts(connection, (await suiteNamed(name)).manifest.id),
  };
}

const ofSuite = (suite: Suite, named: readonly string[] | undefined, known = suite.dataset.projects): string[] =>
  knownNames(named, { option: '--project', noun: `a project of ${suite.manifest.id}`, known });

async function describingOf(context: Context, suite: Suite, model: MadeModel | undefined): Promise<Describing | null> {
  const build = buildOf(suite);
  return model === undefined ? null : describedBy(context, suite, { build, model });
}
