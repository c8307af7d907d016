import { explanationsOf } from '../../src/domain/failure/explanations-of.js';

const SHOW = '`durabench show TRIAL` names the file, the line and what was expected.';
const ANSWER = '`durabench show TRIAL` shows the answer and what was read of it.';

/** Why a trial of GHA-Bench failed: the reasons of `grading/verdict.ts`. */
export const ghaExplanations = explanationsOf('reason', {
  format: ['The answer holds no file that counts.', 'Prose, an answer that was cut off, or a path elsewhere.', ANSWER],
  'syntax.no-workflow': ['No workflow lies where GitHub looks for it.', 'Another folder or file extension.', ANSWER],
  'syntax.folder': [
    'A workflow lies in a sub-folder.',
    'GitHub reads .github/workflows itself, no folder below.',
    SHOW,
  ],
  'syntax.files': ['The answer has too many files.', 'Twenty files are read of an answer.', ANSWER],
  'syntax.size': ['A file is too large.', 'More than 128 KiB, or 50,000 values once aliases are replaced.', SHOW],
  'syntax.encoding': ['A file is not plain text.', 'Bytes that are not UTF-8, or control characters.', SHOW],
  'syntax.yaml': ['A file is not YAML.', 'A tab, an indentation or a quote that is wrong.', SHOW],
  'syntax.duplicate-key': ['A key stands twice in one mapping.', 'Two jobs or steps merged into one.', SHOW],
  'syntax.aliases': ['The aliases of a file are refused.', 'Too many of them, or one inside what it names.', SHOW],
  'syntax.depth': ['A file is nested too deep.', 'More than 40 levels.', SHOW],
  'syntax.key': ['A key is not a string.', 'A file rewritten by a YAML 1.1 library: `on` became `true`.', SHOW],
  'syntax.schema': ['GitHub’s own parser refuses the file.', 'An unknown key, a wrong type or expression.', SHOW],
  'syntax.no-steps': ['A job has no step.', 'A job that neither runs steps nor calls a workflow.', SHOW],
  'syntax.filters': ['An event has a filter and its opposite.', '`branches` beside `branches-ignore`.', SHOW],
  'syntax.inputs': ['A form has too many inputs.', 'GitHub allows 25.', SHOW],
  'syntax.choice': ['A choice has no options, or another default.', 'A default that is not among the options.', SHOW],
  'syntax.uses': ['`uses` has the wrong form.', 'No @ref, or an action where a workflow belongs.', SHOW],
  'syntax.run': ['A script is too long.', 'GitHub allows 21,000 characters.', SHOW],
  'syntax.matrix': ['A matrix is empty or too large.', 'No values, or more than 256 jobs.', SHOW],
  'syntax.call': [
    'A workflow that is called is not there, or not callable.',
    'A wrong path, or a circle of calls.',
    SHOW,
  ],
  'lint.dangerous-workflow': [
    'A stranger could run code with the rights of the repository.',
    'Text of an issue or pull request in a script, or their code checked out with rights.',
    SHOW,
  ],
  'lint.zizmor': ['Zizmor found something severe.', 'An injection, a cache or token that can be abused.', SHOW],
  'lint.actionlint': ['Actionlint found something.', 'An expression, input or script that does not fit.', SHOW],
  'lint.limit': ['The linters cannot look at the files within their limits.', 'Files made to keep them busy.', SHOW],
  features: [
    'A workflow does not mean what was asked for.',
    'A wrong event, condition, matrix, output or permission.',
    SHOW,
  ],
  runs: ['A workflow does not do what was asked for when it runs.', 'A step, condition or order that is wrong.', SHOW],
  'runs.unsupported': [
    'A workflow cannot be run here.',
    'An action or image that is not there, a runner other than Ubuntu, or a container with rights.',
    SHOW,
  ],
  'syntax.limit': ['The files cannot be parsed within the limits.', 'A file made to keep parsers busy.', SHOW],
});
