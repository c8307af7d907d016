#!/usr/bin/env node
// Nothing is imported before the version is known: an older Node stops at what it cannot parse, with a page of stack.
const [major, minor] = process.versions.node.split('.').map(Number);
if (major < 20 || (major === 20 && minor < 19)) {
  process.stderr.write(
    `error: durabench needs Node 20.19 or newer, this is ${process.versions.node}: https://nodejs.org\n`,
  );
  process.exitCode = 5;
} else import('../dist/src/cli/main.js');
