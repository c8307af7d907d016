import type { CampaignLock } from '../../contract/campaign.js';
import type { Json, JsonObject } from '../../contract/json.js';
import type { LockChange } from '../../contract/revision.js';

/** Parts that say how many trials there are, what they are called, what they cost, whose answers they may take or what is decided by them, not what is asked. */
const OF_NO_QUESTION: readonly string[] = ['name', 'repeats', 'prices', 'reuseAnswers', 'experiment'];

/** In which parts two questions differ, each as deep as it can be named, and what that invalidates of the first one's trials. */
export function lockChanges(before: CampaignLock, after: CampaignLock): LockChange[] {
  const was = partsOf(before);
  return differences(was, partsOf(after), [])
    .map(({ path, ...values }) => ({ part: path.join('.'), ...values, invalidates: invalidatedBy(path, was) }))
    .sort((one, other) => (one.part < other.part ? -1 : 1));
}

/** Whether it is part of what is asked: a price says what an answer costs, and may change in the middle of a campaign. */
export function isOfQuestion({ part }: LockChange): boolean {
  return part.split('.')[0] !== 'prices';
}

/** Whether two campaigns ask the same question: their locks differ in prices at most. */
export function isSameQuestion(before: CampaignLock, after: CampaignLock): boolean {
  if (before.sha256 === after.sha256) return true;
  const changes = lockChanges(before, after);
  return changes.length > 0 && !changes.some(isOfQuestion);
}

/** A lock by names that people know; systems by their ids. */
function partsOf(lock: CampaignLock): JsonObject {
  const { systems = [], ...spec } = isObject(lock.spec) ? lock.spec : {};
  const list = Array.isArray(systems) ? systems.filter(isObject) : [];
  return {
    ...spec,
    systems: Object.fromEntries(list.map((system) => [nameOf(system), system])),
    tasks: lock.datasetDigest,
    images: lock.imageDigests,
    'suite version': lock.suiteVersion,
    // Code, prompts and plans of the suite.
    grader: lock.graderDigest,
    prices: lock.prices,
    'sandbox limits': lock.sandboxLimits ?? {},
    seed: lock.seed,
  };
}

interface Difference {
  path: string[];
  before: Json;
  after: Json;
}

function differences(before: Json, after: Json, path: string[]): Difference[] {
  if (JSON.stringify(before) === JSON.stringify(after)) return [];
  if (!isObject(before) || !isObject(after)) return isSame(before, after) ? [] : [{ path, before, after }];
  const keys = [...new Set([...Object.keys(before), ...Object.keys(after)])];
  return keys.flatMap((key) => differences(before[key] ?? null, after[key] ?? null, [...path, key]));
}

function isSame(before: Json, after: Json): boolean {
  if (!Array.isArray(before) || !Array.isArray(after) || before.length !== after.length) return before === after;
  return before.every((item, index) => differences(item, after[index] ?? null, []).length === 0);
}

function invalidatedBy(path: readonly string[], was: JsonObject): LockChange['invalidates'] {
  const [part = '', name = '', ...within] = path;
  if (OF_NO_QUESTION.includes(part)) return [];
  if (part === 'dataset' || part === 'tasks') return 'tasks';
  // One that was added or left out as a whole says nothing of trials.
  if (part === 'systems') return within.length === 0 ? [] : [name];
  if (part !== 'models' || mentions(was['judge'] ?? null, name)) return 'all';
  return Object.entries(was['systems'] as JsonObject)
    .filter(([, system]) => mentions(system, name))
    .map(([id]) => id);
}

/** Whether a word stands anywhere in it as a value: suites name models in settings of their own. */
function mentions(value: Json, word: string): boolean {
  if (value === word) return true;
  return typeof value === 'object' && value !== null && Object.values(value).some((part) => mentions(part, word));
}

const nameOf = ({ id }: JsonObject): string => (typeof id === 'string' ? id : '');

const isObject = (value: Json): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
