/** What a project is known by: its distribution and the package one imports. */
interface KnownNames {
  names: readonly string[];
  /** The name is a common English word: `requests` are what a client sends. */
  isWord?: true;
}

/** Project → its names. */
export const PROJECT_NAMES: Readonly<Record<string, KnownNames>> = {
  requests: { names: ['requests'], isWord: true },
  django: { names: ['django'] },
  pandas: { names: ['pandas'] },
  sympy: { names: ['sympy'] },
  statsmodels: { names: ['statsmodels'] },
  'scikit-learn': { names: ['scikit-learn', 'sklearn', 'scikits-learn'] },
  textkit: { names: ['textkit'] },
};

/**
 * The words by which a text names a project, null where it does not. A name counts wherever it stands as a word, in any case and
 * however its parts are joined. One that is an English word counts only where it stands as a name: quoted, imported, with an
 * attribute, after "like" or "clone of", before "library" or "-like", with a capital inside a sentence, or at its beginning before
 * a colon or the verb of one thing ("Requests is").
 */
export function namingOf(project: string, text: string): string | null {
  const known = PROJECT_NAMES[project];
  if (known === undefined) return null;
  // Full-width letters, and marks that nobody sees, are no way to write it.
  const plain = text.normalize('NFKC').replace(/\p{Cf}/gu, '');
  const patterns = known.names.flatMap((name) => (known.isWord === true ? patternsOfWord(name) : [patternOf(name)]));
  for (const pattern of patterns) {
    const found = pattern.exec(plain)?.[0];
    if (found !== undefined) return found;
  }
  return null;
}

const BEFORE = String.raw`(?<![\p{L}\p{N}])`;
const BEHIND = String.raw`(?![\p{L}\p{N}])`;

function patternOf(name: string): RegExp {
  return new RegExp(BEFORE + name.split('-').join(String.raw`[-_.\s]*`) + BEHIND, 'iu');
}

/** Phrases after which comes the name of a thing. */
const LEADING = [
  ...['like', 'named', 'called', 'clone of', 'fork of', 'port of', 'rewrite of', 'reimplementation of'],
  ...['replacement for', 'alternative to', 'successor of', 'successor to', 'compatible with', 'inspired by'],
  ...['modelled on', 'modelled after', 'modeled on', 'modeled after', 'import', 'install'],
];
/** What a sentence may begin behind. */
const SENTENCE = String.raw`(?:^|[.!?:;]["')\]]*\s|\n)[\s\-*#>]*`;

function patternsOfWord(word: string): RegExp[] {
  const capital = `(?:${word.charAt(0).toUpperCase()}${word.slice(1)}|${word.toUpperCase()})${BEHIND}`;
  const own = word + BEHIND;
  return [
    new RegExp(`["'\`“‘«]${own}`, 'iu'),
    new RegExp(String.raw`${BEFORE}from\s+${own}\s+import`, 'iu'),
    new RegExp(String.raw`${BEFORE}(?:${LEADING.join('|')})\s+${own}`, 'iu'),
    new RegExp(`${BEFORE}python[-_]${own}`, 'iu'),
    new RegExp(String.raw`${BEFORE}${own}\.[a-z_]\w*`, 'u'),
    new RegExp(`${BEFORE}${own}(?:[- ](?:library|package|module|project)|-(?:like|style|compatible))${BEHIND}`, 'iu'),
    new RegExp(
      String.raw`(?<=${SENTENCE})${capital}(?:\s*[:–—]|\s+(?:is|was|has|does|lets|makes|offers|provides)${BEHIND})`,
      'u',
    ),
    new RegExp(`${BEFORE}(?<!${SENTENCE})${capital}`, 'u'),
  ];
}
