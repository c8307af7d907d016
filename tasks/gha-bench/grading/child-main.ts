/** Reads a request on its input, parses the files, and prints what was found: run by `in-child.ts`. */
import { text } from 'node:stream/consumers';
import { checkSyntax } from '../syntax/check-syntax.js';
import type { ChildRequest } from './in-child.js';

const { files, present } = JSON.parse(await text(process.stdin)) as ChildRequest;
const tree = new Map(files.map(([path, base64]) => [path, Buffer.from(base64, 'base64')]));
process.stdout.write(JSON.stringify(await checkSyntax(tree, new Set(present))));
