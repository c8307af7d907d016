import { runCommandLine } from './program.js';

process.exitCode = await runCommandLine({
  argv: process.argv.slice(2),
  stdout: process.stdout,
  stderr: process.stderr,
  cwd: process.cwd(),
});
