import { open, rm } from 'node:fs/promises';
import { resolve } from 'node:path';
import { readCampaignFile } from '../../config/campaign-file.js';
import { UserError } from '../../domain/failure/user-error.js';
import { systemWords } from '../../domain/failure/system-words.js';
import { allSuites, suiteNamed } from '../../suite/registry.js';
import type { Context } from '../context.js';
import { toldByOptions, type MadeCampaign, type MadeModel } from './made-campaign.js';
import { starterText } from './starter-text.js';

const MADE: Pick<MadeCampaign, 'command' | 'options'> = {
  command: 'init',
  options: [
    [/dataset\.projects(\[\d+\])?/g, '--project'],
    [/dataset\.(limit|tasks)/g, '--tasks'],
    [/^name\b/g, '--name'],
  ],
};

/** What a new campaign file is to hold. */
export interface InitRequest {
  /** Id of a suite. */
  suite: string;
  /** Default: `<suite>-first`. */
  name?: string | undefined;
  /** Default: the suite chooses. */
  projects?: readonly string[] | undefined;
  /** Tasks of each project. Default: 10. */
  tasks?: number | undefined;
  /** The one to evaluate. Left out: a campaign without a model. */
  model?: Omit<MadeModel, 'usd'> | undefined;
  /** US dollars that the campaign may cost. Default: 5. */
  usd?: MadeModel['usd'] | undefined;
}

/** A file that was written. */
export interface InitializedCampaign {
  file: string;
  name: string;
  suite: string;
  systems: string[];
}

/**
 * Writes a campaign file with comments, which `validate` accepts as it stands.
 * @throws UserError where there is a file of that name, or what was asked for makes no campaign
 */
export async function initCampaign(context: Context, file: string, request: InitRequest): Promise<InitializedCampaign> {
  const suite = await suiteNamed(request.suite, context.environment());
  const { name = `${suite.manifest.id}-first`, projects = [], tasks = 10, model = null, usd = 5 } = request;
  const text = starterText({ name, suite, projects, tasks, model, usd });
  const reading = readCampaignFile({ text, file, suites: await allSuites(context.environment()) });
  if ('problems' in reading) throw new UserError('usage', toldByOptions(reading.problems, file, MADE));
  await writeNew(resolve(context.cwd, file), file, text);
  const { spec } = reading;
  return { file, name: spec.name, suite: spec.suite, systems: spec.systems.map(({ id }) => id) };
}

/** Never over another file, also where one appears this very moment; whole or not at all. */
async function writeNew(path: string, file: string, text: string): Promise<void> {
  try {
    const opened = await open(path, 'wx');
    try {
      await opened.writeFile(text);
    } catch (error) {
      await rm(path);
      throw error;
    } finally {
      await opened.close();
    }
  } catch (error) {
    const { code = '' } = error as NodeJS.ErrnoException;
    throw new UserError(['EEXIST', 'ENOENT'].includes(code) ? 'usage' : 'environment', {
      message: code === 'EEXIST' ? `${file} exists already` : `${file} cannot be written: ${systemWords(error)}`,
      expected: 'a file that is not there yet, in a folder that may be written',
      fix: 'name another one: durabench init other.yaml',
    });
  }
}
