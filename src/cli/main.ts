import { EXIT } from './exit-code.js';
import { failureReport } from './format/failure-report.js';
import { runCommandLine } from './program.js';

// `durabench status | head`: a reader that has seen enough is no failure. A campaign goes on by itself.
for (const stream of [process.stdout, process.stderr])
  stream.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code === 'EPIPE') process.exit();
    if (stream === process.stdout) {
      const { text } = failureReport(Object.assign(error, { path: 'standard output' }), { stack: false });
      process.stderr.write(`${text}\n`);
    }
    process.exit(EXIT.environment);
  });

process.exitCode = await runCommandLine({
  argv: process.argv.slice(2),
  stdout: process.stdout,
  stderr: process.stderr,
  cwd: process.cwd(),
});
