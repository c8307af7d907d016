/** The process entry of the detached supervisor. Started by `startStack`, with its options as one JSON argument. */
import { readEnvironment } from '../../config/env.js';
import { runSupervisor, type SupervisorOptions } from './run-supervisor.js';

const given = JSON.parse(process.argv[2] ?? '{}') as Omit<SupervisorOptions, 'environment' | 'log'>;
process.exitCode = await runSupervisor({
  ...given,
  environment: readEnvironment(),
  log: (entry) => process.stdout.write(`${JSON.stringify({ time: new Date().toISOString(), ...entry })}\n`),
});
// An unfinished download or connection attempt must not keep a stopped supervisor alive.
process.exit();
