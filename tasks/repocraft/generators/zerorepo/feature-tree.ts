/** What a feature tree has to be like, for messages. */
export const FEATURE_TREE_RULES = {
  expected:
    'nested names in UTF-8: objects, lists and texts, at most 20 deep and 2,000,000 leaves (20,000 in the campaign file); empty ones are leaves; no name below itself',
  fix: 'compare it with a published one: tasks/repocraft/published/trees/HttpEasy.json',
};

/** Names one below the other, at most. */
export const MOST_LEVELS = 20;
const MOST_LEAVES = 20_000;
const MOST_PROBLEMS = 10;
const LONGEST_NAME = 300;

/** Reads the file of a feature tree: JSON. */
export function readFeatureTree(text: string): { tree: unknown } | { problems: string[] } {
  // What a decoder makes of other encodings.
  if (/^\ufffd|\0/.test(text)) return { problems: ['is not UTF-8; save it as UTF-8'] };
  let tree: unknown;
  try {
    tree = JSON.parse(text.replace(/^\ufeff/, ''));
  } catch (error) {
    return { problems: [`is not JSON: ${error instanceof Error ? error.message : String(error)}`] };
  }
  const problems = featureTreeProblems(tree);
  return problems.length > 0 ? { problems } : { tree };
}

/** What is wrong with a feature tree, at most ten things. Walks it without recursion: a file may nest as deep as it likes. */
export function featureTreeProblems(tree: unknown): string[] {
  const problems: string[] = [];
  const open: { node: unknown; path: string[]; depth: number }[] = [{ node: tree, path: [], depth: 0 }];
  let leaves = 0;
  for (let at = open.pop(); at !== undefined && problems.length < MOST_PROBLEMS; at = open.pop()) {
    const { node, path, depth } = at;
    const problem = depthProblem(depth, path) ?? placeProblem(path) ?? kindProblem(node, path);
    if (problem !== undefined) {
      problems.push(problem);
      continue;
    }
    const below = childrenOf(node);
    if (below.length === 0 && (path.length > 0 || typeof node === 'string')) leaves += 1;
    for (const [name, child] of below) {
      open.push({ node: child, path: name === null ? path : [...path, name], depth: depth + 1 });
    }
  }
  if (leaves > MOST_LEAVES) problems.push(`has ${leaves} leaves`);
  if (leaves === 0 && problems.length === 0) problems.push('has no leaf');
  return problems;
}

/** What lies below a node; what stands in a list has no name of its own, a text in one is its own name. */
function childrenOf(node: unknown): [name: string | null, child: unknown][] {
  if (Array.isArray(node)) {
    return node.map((child: unknown) => (typeof child === 'string' ? [child, null] : [null, child]));
  }
  return typeof node === 'object' && node !== null ? Object.entries(node) : [];
}

function kindProblem(node: unknown, path: readonly string[]): string | undefined {
  if (node === null || typeof node === 'object' || typeof node === 'string') return undefined;
  return `${placeOf(path)} holds ${JSON.stringify(node)}, which is no name`;
}

/** Lists have no names of their own, and may lie in each other as well. */
function depthProblem(depth: number, path: readonly string[]): string | undefined {
  if (depth <= 2 * MOST_LEVELS && path.length <= MOST_LEVELS) return undefined;
  return `is more than ${MOST_LEVELS} levels deep at ${placeOf(path.slice(0, 3))} / …`;
}

/** What is wrong with the last name of a path. */
export function placeProblem(path: readonly string[]): string | undefined {
  const name = path.at(-1);
  if (name === undefined) return undefined;
  if (name.trim() === '') return `has a name without a letter below ${placeOf(path.slice(0, -1))}`;
  if (name.length > LONGEST_NAME) return `has a name of ${name.length} characters below ${placeOf(path.slice(0, -1))}`;
  const first = path.indexOf(name);
  return first < path.length - 1 ? `has a cycle: ${path.slice(first).join(' / ')}` : undefined;
}

/** A path in words. */
export const placeOf = (path: readonly string[]): string => (path.length === 0 ? 'its top' : path.join(' / '));
