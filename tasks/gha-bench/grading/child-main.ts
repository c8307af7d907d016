/** Reads a request on its input, grades the files, and prints what was found: run by `in-child.ts`. */
import { text } from 'node:stream/consumers';
import { scorecard } from '../lint/scorecard.js';
import { checkSyntax } from '../syntax/check-syntax.js';
import { gradeFeatures } from '../semantics/grade-features.js';
import type { ChildReport, ChildRequest } from './in-child.js';

const { files, present, pins, asked } = JSON.parse(await text(process.stdin)) as ChildRequest;
const tree = new Map(files.map(([path, base64]) => [path, Buffer.from(base64, 'base64')]));
const syntax = await checkSyntax(tree, new Set(present));
const isValid = syntax.problems.length === 0;
const texts = Object.fromEntries([...tree].map(([path, bytes]) => [path, bytes.toString('utf8')]));
const report: ChildReport = {
  syntax,
  scorecard: pins === null || !isValid ? null : scorecard(tree, pins),
  features: asked === null ? null : gradeFeatures({ ...asked, files: texts }),
};
process.stdout.write(JSON.stringify(report));
