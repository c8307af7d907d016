import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { readEnvironment } from '../../../src/config/env.js';
import { describeWithPython } from '../../../tests/fixtures/repocraft/describe-with-python.js';

const SHIMS = fileURLToPath(new URL('../shims/django', import.meta.url));

/** A test file with a database of sqlite3's own in the place of a library's connection, run by unittest. */
const FILE = (head: string): string => `
import sqlite3, sys, unittest
from assertion_shims import TestCase

class Connection:
    def __init__(self):
        self.database, self.marks = sqlite3.connect(":memory:", isolation_level=None), 0
        self.run("CREATE TABLE cup (name)")
    def run(self, text, *values):
        return self.database.execute(text, values).fetchall()
    def set_autocommit(self, on):
        if not on: self.run("BEGIN")
    def rollback(self): self.run("ROLLBACK")
    def savepoint(self):
        self.marks += 1
        self.run(f"SAVEPOINT m{self.marks}")
        return f"m{self.marks}"
    def savepoint_rollback(self, mark): self.run(f"ROLLBACK TO {mark}")

rows = Connection()
names = lambda: [name for name, in rows.run("SELECT name FROM cup ORDER BY name")]
${head}

class Cups(TestCase):
    @classmethod
    def setUpTestData(cls):
        cls.shelf = ["saucer"]
        rows.run("INSERT INTO cup VALUES ('mug')")
    def test_a(self):
        rows.run("INSERT INTO cup VALUES ('bowl')")
        self.shelf.append("spoon")
        self.assertEqual(names(), ["bowl", "mug"])
    def test_b(self):
        self.assertQuerySetEqual(names(), ["mug"])
        self.assertQuerySetEqual([2, 1], ["1", "2"], transform=str, ordered=False)
        self.assertEqual(self.shelf, ["saucer"])

result = unittest.TextTestRunner(stream=sys.stdout).run(unittest.defaultTestLoader.loadTestsFromTestCase(Cups))
print("left", names(), "failed", [str(test).split()[0] for test, _ in result.failures + result.errors])
`;

const lastLine = (head: string): string | undefined => {
  const { stdout, stderr } = spawnSync('python3', ['-B', '-c', FILE(head)], {
    encoding: 'utf8',
    env: { ...process.env, PYTHONPATH: SHIMS },
  });
  expect(stderr).toBe('');
  return stdout.trim().split('\n').at(-1);
};

const buildServer = readEnvironment().variable('CI') !== undefined;

describeWithPython("the stand-in for Django's test case", { buildServer }, () => {
  it('gives each test the rows and values of its class anew, and leaves none behind', () => {
    expect(lastLine('_connection = rows')).toBe('left [] failed []');
  });

  it('rolls nothing back where the library has no connection', () => {
    expect(lastLine('')).toBe("left ['bowl', 'mug'] failed ['test_b']");
  });
});
