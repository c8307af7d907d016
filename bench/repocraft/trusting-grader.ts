/**
 * What a grader lets through that trusts pytest's exit status and output: every candidate under
 * tests/repocraft/integrity/cheats, with the exam it sits, run by plain pytest in a container of its own. The last column
 * of the table of cheats.
 *
 *   npx tsx bench/repocraft/trusting-grader.ts        (some three minutes; needs the image repocraft-requests)
 *
 * Prints a line for each candidate whose result is not the one in tests/repocraft/integrity/cheats/expected.ts, then how
 * many pass. Exits 1 when there is such a line.
 */
import { mountedFiles } from '../../src/suite-kit/packed-files.js';
import { ofEach, readCorpus, treeOf } from '../../tests/repocraft/integrity/cheats/corpus.js';
import { CHEATS } from '../../tests/repocraft/integrity/cheats/expected.js';
import { openExamRoom } from '../../tests/fixtures/repocraft/exam-room.js';
import { untilInterrupted } from '../until-interrupted.js';

const WALL_SECONDS = 60;

const corpus = await readCorpus();
const room = await openExamRoom(2);
try {
  const results = await untilInterrupted(ofEach(corpus.names, trusts));
  const others = Object.entries(results).filter(([name, passed]) => {
    const expected = CHEATS[name]?.trusted;
    return expected !== 'by chance' && expected !== (passed ? 'passes' : 'fails');
  });
  for (const [name, passed] of others) process.stdout.write(`${name}: ${passed ? 'passes' : 'fails'}\n`);
  process.stdout.write(`${Object.values(results).filter(Boolean).length} of ${corpus.names.length} pass\n`);
  if (others.length > 0) process.exitCode = 1;
} finally {
  await room.close();
}

/** pytest in the candidate's own folder, believed when it exits with 0 and nothing it printed says otherwise. */
async function trusts(name: string): Promise<boolean> {
  const candidate = await mountedFiles(await treeOf(name), '/candidate');
  const { text, beside, wallSeconds } = corpus.examOf(name);
  const copies = Object.keys(beside ?? {}).map((path) => `cp ${path} repo/ && `);
  const tested = 'cp exam.py repo/test_task.py && cd repo && PYTHONPATH=. python3 -m pytest -q';
  const result = await room.sandbox.run({
    image: 'repocraft-requests',
    command: ['sh', '-c', `cp -r /candidate repo && ${copies.join('')}${tested}`],
    files: { ...beside, 'exam.py': text },
    mounts: [candidate],
    limits: { cpuSeconds: 4, wallSeconds: wallSeconds ?? WALL_SECONDS },
    poolKey: null,
    owner: { campaignId: 'cheats', ownerId: 'cheats' },
    signal: new AbortController().signal,
  });
  return result.exitCode === 0 && !/\b\d+ (failed|error)/.test(result.stdout.bytes.toString('latin1'));
}
