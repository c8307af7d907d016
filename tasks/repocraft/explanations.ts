import { explanationsOf } from '../../src/domain/failure/explanations-of.js';
import type { ExecutionReason } from './execution/execution-report.js';
import type { FailureClassCode } from './stages/failure-class.js';

const SHOW = '`durabench show TRIAL` shows the failing test and its message.';
const MATCHES = '`durabench show TRIAL` lists the matches and the votes on them.';
const DIFF = '`durabench show TRIAL` names the place in the test.';
const REWRITE = '`durabench show TRIAL` shows the refused rewrite; the verdict of the bound test stands.';
const COMPARE = '`durabench show CAMPAIGN` lists the trials of the candidate; compare its files with the reference.';
const LIMIT = 'Profile the candidate: the limits are the same for every system (`durabench doctor --sandbox`).';

/** Why the selected tests did not pass. */
const EXECUTION = explanationsOf<ExecutionReason>('reason', {
  'test.assertion': [
    'A selected test ran and an assertion failed.',
    'The code returns something else than expected.',
    SHOW,
  ],
  'test.import': ['The candidate could not be imported.', 'A missing module, or an error at import.', SHOW],
  'test.missing-package': [
    'The candidate imports what neither it nor its environment has.',
    'A package that candidates for the project do not have, or a module that was never written.',
    '`durabench show TRIAL` names it; the generation (`durabench show CAMPAIGN/SYSTEM/PROJECT/REPEAT`) lists all of them.',
  ],
  'test.name': ['A test failed with NameError.', 'Code that uses a name it never defines.', SHOW],
  'test.attribute': ['A test failed with AttributeError.', 'An attribute or method of the reference is missing.', SHOW],
  'test.type': ['A test failed with TypeError.', 'A value of another type than expected.', SHOW],
  'test.signature': [
    'A function does not take the arguments of the test.',
    'Other parameters than the reference has.',
    SHOW,
  ],
  'test.timeout': ['A test failed with a timeout of its own.', 'Code that is too slow or waits.', SHOW],
  'test.memory': ['A test failed with MemoryError.', 'Code that allocates too much.', SHOW],
  'test.other': ['A test failed with another exception.', 'An error in the code under test.', SHOW],
  'test.skipped': ['A selected test was skipped.', 'A skip from inside the candidate, or a missing feature.', SHOW],
  'test.not-collected': [
    'A selected test was not collected by pytest.',
    'An error while the test module was loaded.',
    SHOW,
  ],
  'candidate.timeout': ['The run reached its time limit.', 'An endless loop, a sleep or very slow code.', LIMIT],
  'candidate.out-of-memory': ['The run reached its memory limit.', 'Code that allocates too much.', LIMIT],
  'candidate.no-report': [
    'The run ended without a report.',
    'Code that ended or stopped the process that reports.',
    SHOW,
  ],
  'candidate.exited': [
    'The process left before its tests were over.',
    '`os._exit` or `sys.exit` in the candidate.',
    SHOW,
  ],
  'candidate.crashed': [
    'The process was ended by a signal.',
    'A crash of an extension, or a signal the code sent itself.',
    SHOW,
  ],
  'candidate.forged-report': [
    'A pass was reported that did not happen.',
    'Code that interferes with the tests or their runner; some monkey-patching libraries do by accident.',
    '`durabench show TRIAL` names what was changed.',
  ],
  'candidate.vacuous': [
    'A test altered so that it must fail passed as well (negative control).',
    'Objects that equal everything, or code that recognises the test.',
    '`durabench show TRIAL` shows both runs.',
  ],
  'candidate.hidden-copy': [
    'Code ran that is the reference’s and that no file shows.',
    'A copy of the library in data, archives or a compiled module.',
    COMPARE,
  ],
  'candidate.unwatched': [
    'The test passed, but nobody can know what code ran.',
    'Code that lists all frames, calls the C API or starts a second interpreter.',
    '`durabench show TRIAL` says what was done; write it without that.',
  ],
});

/** Where a stage stopped the trial before its tests ran. */
const STAGES = explanationsOf('reason', {
  'not-localized': [
    'Nothing in the candidate matches the task.',
    'The feature is missing, or is described in other words.',
    MATCHES,
  ],
  'vote-rejected': ['The judges rejected every match.', 'The code found does not do what the task asks.', MATCHES],
  'vote-partial': ['No match was accepted; at least one was voted partial.', 'A partial implementation.', MATCHES],
  'look.other-kind': [
    'A second look: this match cannot stand for what the test is about.',
    'A method where the test calls a function.',
    MATCHES,
  ],
  'look.same-test': [
    'A second look: bound to this match, the test is what has failed already.',
    'A method and its class are bound alike.',
    MATCHES,
  ],
  'not-adapted': [
    'The test could not be adapted to the candidate’s names; the next reason says why.',
    'Names or paths that cannot be mapped safely.',
    DIFF,
  ],
});

/** Why a test was not adapted: the codes of `python/candidate/adapt.py`, `adaptation/bind.ts` and of the guard of rewrites. */
const ADAPTATION = explanationsOf('reason', {
  'adapt.unbound': [
    'The test uses something for which the candidate has nothing.',
    'A helper or class of the reference is missing.',
    DIFF,
  ],
  'adapt.unknown-path': [
    'The test names a path the task does not know.',
    'An import the dataset did not record.',
    DIFF,
  ],
  'adapt.incomplete': ['The adapted test would still import the reference.', 'An import in an unusual place.', DIFF],
  'adapt.star-import': ['The test imports everything from a module of the reference.', '`from … import *`.', DIFF],
  'adapt.shadowed': [
    'The test binds a name anew that would be renamed.',
    'A local variable of the same name, or a definition that the test replaces (`package.name = …`).',
    DIFF,
  ],
  'adapt.string-path': [
    'The test names the reference in a string.',
    '`mock.patch("package.name")` and the like.',
    DIFF,
  ],
  'adapt.unreadable': [
    'The test could not be parsed after binding.',
    'Source the Python of the image cannot read.',
    DIFF,
  ],
  'rewrite.unreadable': [
    'The adapter’s answer could not be understood.',
    'A model that does not keep to the form.',
    REWRITE,
  ],
  'rewrite.cannot': [
    'The adapter said that it cannot adapt the test.',
    'The candidate has nothing equivalent.',
    REWRITE,
  ],
  'guard.assertion': ['A rewrite changed an assertion.', 'Another comparison or question than in the test.', REWRITE],
  'guard.constant': ['A rewrite changed a constant.', 'An expected value or input that is new or missing.', REWRITE],
  'guard.encoding': ['A rewrite declares an encoding.', 'A coding line at the top.', REWRITE],
  'guard.flow': ['A rewrite changed where a value comes from.', 'Variables exchanged or combined.', REWRITE],
  'guard.import': [
    'A rewrite imports something else.',
    'A module that is neither the candidate’s nor the test’s.',
    REWRITE,
  ],
  'guard.input': ['A rewrite changed an input.', 'An argument dropped or added.', REWRITE],
  'guard.name': ['A rewrite uses a name the test does not.', 'A new helper or attribute.', REWRITE],
  'guard.not-called': ['A rewrite does not use what was found.', 'The candidate’s code is not asked.', REWRITE],
  'guard.raises': [
    'A rewrite expects a wider exception, or does more where one is expected.',
    '`Exception` in place of a class.',
    REWRITE,
  ],
  'guard.redefined': [
    'A rewrite redefines or replaces a name.',
    'A patch of the candidate or the test framework.',
    REWRITE,
  ],
  'guard.size': ['A rewrite is much longer than the test.', 'An implementation written into the test.', REWRITE],
  'guard.structure': ['A rewrite changed the structure of the test.', 'Statements added, dropped or moved.', REWRITE],
  'guard.syntax': ['A rewrite is no valid Python.', 'A cut-off or malformed answer.', REWRITE],
  'guard.tautology': ['A rewrite asserts what is always true.', 'A value compared with itself.', REWRITE],
});

/** Which part of the system a failure points to; a hint, no part of the verdict. */
const CLASSES = explanationsOf<FailureClassCode>('class', {
  'class.planning': [
    'Nothing like the task exists in the candidate: nothing was found, or what was is of another kind than the target, or is called like something else of the reference.',
    'The system planned no such feature.',
    'Where the system plans with a graph, look at the plan: `durabench graph export ID`.',
  ],
  'class.localization': [
    'The search missed something called like the target, or a second look saw the test pass on what was not voted on.',
    'A description far from the candidate’s words.',
    MATCHES,
  ],
  'class.validation': [
    'The judges disagreed on code called like the target, or a second look saw the test pass on a match they did not accept.',
    'A weak judge, or code that is hard to read.',
    '`durabench calibrate repocraft` measures the judges.',
  ],
  'class.generation': ['The code that was found is wrong.', 'The system’s code generation.', SHOW],
  'class.generation.missing-package': [
    'The candidate imports what neither it nor its environment has.',
    'A package that candidates for the project do not have.',
    'Tell the system what there is; of a release made elsewhere, `durabench grade` a folder that has the package beside it.',
  ],
  'class.generation.api-mismatch': [
    'Names or signatures differ from the reference’s.',
    'An interface the system invented.',
    SHOW,
  ],
  'class.generation.logic': ['The code runs and returns or raises something else.', 'A logic error.', SHOW],
  'class.generation.performance': [
    'The code is too slow or uses too much memory.',
    'An algorithm that does not scale.',
    SHOW,
  ],
  'class.adaptation': [
    'The test could not be adapted to the candidate, or a second look saw it pass once a name that nothing answers to was guessed.',
    'An unusual test, or names that nobody recognises; the candidate may be right.',
    DIFF,
  ],
  'class.execution': ['The run failed otherwise.', 'A process that exits, crashes or is manipulated.', SHOW],
});

/** What the integrity scan finds in a candidate. */
const FLAGS = explanationsOf('flag', {
  vendored: [
    'Much of the candidate’s code is the reference’s.',
    'A copy, or a model that repeats the library from memory.',
    COMPARE,
  ],
  unread: [
    'The candidate holds data or encodings that cannot be read, beside code that makes code from data.',
    'Packed or encrypted code.',
    COMPARE,
  ],
  'recorded-constants': [
    'A third of its functions only return written values.',
    'Recorded answers instead of logic.',
    COMPARE,
  ],
});

/** RepoCraft's reasons, classes and flags. */
export const repocraftExplanations = { ...STAGES, ...EXECUTION, ...ADAPTATION, ...CLASSES, ...FLAGS };
