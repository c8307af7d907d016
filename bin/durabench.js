#!/usr/bin/env node
// Nothing is imported before the version is known: an older Node stops at what it cannot parse, with a page of stack.
const [major, minor] = process.versions.node.split('.').map(Number);
if (major < 20 || (major === 20 && minor < 19)) {
  const message = `durabench needs Node 20.19 or newer, this is ${process.versions.node}: https://nodejs.org`;
  process.stderr.write(`error: ${message}\n`);
  // As every command answers that fails (docs/decisions/0035-json-documents.md); what does that cannot be imported.
  if (process.argv.includes('--json')) {
    const error = { code: 'environment', message, problems: [{ message }] };
    process.stdout.write(`${JSON.stringify({ version: 2, error }, null, 2)}\n`);
  }
  process.exitCode = 5;
} else import('../dist/src/cli/main.js');
