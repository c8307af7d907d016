// Runs a campaign file to its end and prints the score of each system:
//   node examples/library/run-campaign.mjs examples/echo/campaign.yaml
import { connect, UserError } from 'durabench';

const [file = 'examples/echo/campaign.yaml'] = process.argv.slice(2);
const durabench = await connect({ onEvent: (event) => 'message' in event && console.error(event.message) });
try {
  const { id, trials, temporalUi } = await durabench.start(file);
  console.error(`${id}: ${trials} trials${temporalUi === null ? '' : `, ${temporalUi}`}`);
  for await (const { trials: counts } of durabench.follow(id)) console.error(`${counts.done} of ${counts.planned}`);
  const { campaign, systems } = await durabench.report(id);
  console.log(JSON.stringify({ id, status: campaign.status, systems }));
} catch (error) {
  if (!(error instanceof UserError)) throw error;
  for (const { message, fix } of error.problems) console.error(`${message}${fix === undefined ? '' : ` (${fix})`}`);
  process.exitCode = 1;
} finally {
  await durabench.close();
}
