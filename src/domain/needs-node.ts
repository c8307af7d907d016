/**
 * The first import of each entry of the package, so that a Node that is too old says so, and not what it misses first. The
 * one module that does something when it is imported. `bin/durabench.js` checks by itself: an old Node cannot parse the rest.
 * @throws Error that names both versions
 */
const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
if (major < 20 || (major === 20 && minor < 19))
  throw new Error(`durabench needs Node 20.19 or newer, this is ${process.versions.node}: https://nodejs.org`);

export {};
