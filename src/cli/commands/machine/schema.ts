import { campaignJsonSchema } from '../../../config/json-schema.js';
import { nearest } from '../../../domain/text/nearest.js';
import { UserError } from '../../../domain/failure/user-error.js';
import { DOCUMENTS, documentSchema, type DocumentName } from '../../../report/documents/documents.js';
import { allSuites } from '../../../suite/registry.js';
import type { CommandEntry } from '../../command-entry.js';
import { EXIT } from '../../exit-code.js';

const CAMPAIGN_FILE = 'campaign-file';
const NAMES = [CAMPAIGN_FILE, ...Object.keys(DOCUMENTS)];

/** `durabench schema [NAME]` */
export const schema: CommandEntry = {
  declare: (program) =>
    program
      .command('schema')
      .description('the JSON Schema of a document that --json prints, or of campaign files; without a name, the names')
      .argument('[name]', NAMES.join(', ')),
  action: async (session, [name]) => {
    const { output } = session;
    if (name === undefined && output.flags.json) output.json('schemas', { schemas: NAMES });
    else if (name === undefined) for (const each of NAMES) output.data(each);
    else if (name === CAMPAIGN_FILE) output.foreignJson(campaignJsonSchema(await allSuites(session.environment())), 2);
    else output.foreignJson(documentSchema(documentNamed(name)), 2);
    return EXIT.ok;
  },
};

function documentNamed(name: string): DocumentName {
  if (Object.hasOwn(DOCUMENTS, name)) return name as DocumentName;
  const meant = nearest(name, NAMES);
  throw new UserError('usage', {
    message: `schema: "${name}" is not a document`,
    expected: `one of ${NAMES.join(', ')}`,
    fix: meant === undefined ? 'durabench schema' : `did you mean "${meant}"?`,
  });
}
