import { parse } from 'yaml';
import { campaignJsonSchema } from '../../../config/json-schema.js';
import type { CommandEntry } from '../../command-entry.js';
import { EXIT } from '../../exit-code.js';
import { stated } from '../../format/failure-report.js';
import { UserError } from '../../../domain/failure/user-error.js';
import { counted } from '../../../report/text/number-text.js';
import { allSuites } from '../../../suite/registry.js';

/** `durabench validate FILE` */
export const validate: CommandEntry = {
  declare: (program) =>
    program
      .command('validate')
      .description('check a campaign file without starting anything; all problems are printed')
      .argument('[file]', 'campaign file (YAML)')
      .option('--schema', 'print the JSON Schema of campaign files instead')
      .option('--print-config', 'print the file with every default filled in'),
  action: async (session, [file], options) => {
    const { output } = session;
    if (options.schema === true) {
      const suites = await allSuites(session.environment());
      output.foreignJson(campaignJsonSchema(suites), 2);
      return EXIT.ok;
    }
    if (file === undefined) throw noFile();
    const { validateCampaign } = await import('../../../client/plans/validate-campaign.js');
    const { name, suite, systems, warnings, config } = await validateCampaign(session, file);
    const isPrinted = options.printConfig === true;
    if (output.flags.json)
      output.json('valid', {
        ...{ valid: true, name, suite, systems, warnings: warnings.map((warning) => stated(warning)) },
        ...(isPrinted && { config: parse(config) as Record<string, unknown> }),
      });
    else if (isPrinted) output.data(config.trimEnd());
    else {
      const count = counted(systems.length, 'system');
      output.data(`${file} is valid: ${name}, suite ${suite}, ${count} (${systems.join(', ')})`);
    }
    return EXIT.ok;
  },
};

function noFile(): UserError {
  return new UserError('usage', {
    message: 'no campaign file is named',
    expected: 'durabench validate FILE, or durabench validate --schema',
    fix: 'for example: durabench validate examples/quickstart/campaign.yaml',
  });
}
