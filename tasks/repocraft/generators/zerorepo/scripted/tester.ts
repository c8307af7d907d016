import { z } from 'zod';
import { briefSchema, type Brief } from './question.js';

/** One `>>>` example of a docstring. */
interface Example {
  expression: string;
  /** What Python prints for it. */
  printed: string;
}

/** Writes tests from nothing but the docstrings in the prompt. */
export interface Tester {
  tests(input: unknown): object;
  repairTests(input: unknown): object;
  integrationTests(input: unknown): object;
  endToEndTest(input: unknown): object;
}

/** A tester: every example of a docstring becomes a test. */
export function createTester(): Tester {
  return {
    tests(input) {
      const { units } = z.object({ units: z.array(briefSchema) }).parse(input);
      return { tests: units.map((unit) => ({ unit: unit.id, source: testFile(unit) })) };
    },

    repairTests(input) {
      const { unit } = z.object({ unit: briefSchema }).parse(input);
      return { source: testFile(unit) };
    },

    integrationTests(input) {
      const { module, interfaces } = z
        .object({ module: z.object({ name: z.string() }), interfaces: z.array(briefSchema) })
        .parse(input);
      return { source: togetherFile(`${module.name}_works_together`, interfaces) };
    },

    endToEndTest(input) {
      const { package: name, interfaces } = z
        .object({ package: z.string(), interfaces: z.array(briefSchema) })
        .parse(input);
      const folders = new Map(interfaces.map((unit) => [unit.id.split('/')[0], unit]));
      return { source: togetherFile(`${name}_from_end_to_end`, [...folders.values()]) };
    },
  };
}

function testFile(unit: Brief): string {
  const examples = examplesOf(unit.docstring);
  const tests = examples.map(
    (example, index) => `def test_${snake(unit.name)}_${index + 1}():\n    ${assertion(example)}\n`,
  );
  // Without an example there is nothing to compute from: it must at least be there under its name.
  if (tests.length === 0)
    tests.push(`def test_${snake(unit.name)}_is_there():\n    assert ${unit.name}.__name__ == "${unit.name}"\n`);
  return `${unit.import}\n\n\n${tests.join('\n\n')}`;
}

/** One test over several interfaces: the last example of each, in a row. */
function togetherFile(name: string, units: readonly Brief[]): string {
  const lines = units.flatMap((unit) => examplesOf(unit.docstring).slice(-1).map(assertion));
  const imports = [...new Set(units.map((unit) => unit.import))].sort();
  const body = lines.length > 0 ? lines : units.map((unit) => `assert ${unit.name}.__name__ == "${unit.name}"`);
  return `${imports.join('\n')}\n\n\ndef test_${snake(name)}():\n${(body.length > 0 ? body : ['assert True']).map((line) => `    ${line}\n`).join('')}`;
}

/** By what Python prints, so that classes and floats compare exactly. JSON strings are Python strings. */
const assertion = ({ expression, printed }: Example): string =>
  `assert repr(${expression}) == ${JSON.stringify(printed)}`;

/** The examples of a docstring; a result ends at the next prompt, a blank line or the end. */
function examplesOf(docstring: string): Example[] {
  const parts = docstring.split(/^\s*>>> /m).slice(1);
  return parts.map((part) => {
    const [expression = '', ...rest] = part.split('\n');
    const end = rest.findIndex((line) => line.trim() === '');
    const printed = (end === -1 ? rest : rest.slice(0, end)).map((line) => line.trim()).join('\n');
    return { expression, printed };
  });
}

const snake = (name: string): string =>
  name
    .replaceAll(/([a-z])([A-Z])/g, '$1_$2')
    .replaceAll(/\W+/g, '_')
    .toLowerCase();
