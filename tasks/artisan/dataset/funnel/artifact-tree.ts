import { isIgnored, readIgnoreRules } from './ignored.js';

/** What is at a path of an artifact: its bytes, or why they could not be had. */
export type TreeEntry = Uint8Array | { unreadable: string };

/** An artifact, by path; a folder is where something stands below it. */
export type ArtifactTree = ReadonlyMap<string, TreeEntry>;

/** What a file is to the criteria: keywords are looked for in `code`, `prose` and `environment`, never in `data`. */
type FileKind = 'code' | 'prose' | 'environment' | 'data';

/** A file of an artifact. */
export interface TreeFile {
  path: string;
  kind: FileKind;
  /** Whether its authors show it: neither hidden nor ignored, and not somebody else's. */
  isShown: boolean;
  /** Null where it cannot be read, or is no text. */
  text: string | null;
  unreadable: string | null;
  bytes: number;
}

/** Folders of tools and of other people's code. */
const FOREIGN =
  /(^|\/)(\.(?!devcontainer\/|binder\/)[^/]+|node_modules|__pycache__|venv|site-packages|bower_components|packrat)\//;

/** Folders that hold what was studied, not what studies it; `data/clean.R` is the authors' own, `data/repos/x/main.py` is not. */
const SUBJECTS =
  /(^|\/)(subjects?|samples?|corpus|corpora|repos|repositories|projects|third[_-]?party|vendor|fixtures|(data|datasets?|benchmarks?|results?|outputs?|examples?)\/[^/]+)\//i;

const CODE = /\.(py|r|jl|m|sh|bash|ipynb|rmd|qmd|js|mjs|ts|java|scala|c|cc|cpp|h|hpp|rs|go|pl|rb|do|sas|sql)$/i;
const CODE_NAMES = /(^|\/)(makefile|snakefile)$/i;
const PROSE = /(^|\/)((readme|install|requirements|status|license|licence)(\.[a-z]+)?|[^/]+\.(md|rst|adoc|org|tex))$/i;
const ENVIRONMENT =
  /(^|\/)((dockerfile|containerfile|singularity)(\.[^/]+)?|[^/]+\.(dockerfile|def|nix)|(docker-)?compose[^/]*\.ya?ml|devcontainer\.json|(environment|conda)[^/]*\.ya?ml|(requirements|constraints)[^/]*\.txt|pyproject\.toml|setup\.(py|cfg)|pipfile(\.lock)?|(poetry|uv|renv)\.lock|description|install\.r|(project|manifest|cargo)\.toml|package\.json|vagrantfile|pom\.xml|build\.gradle(\.kts)?|go\.mod|apt\.txt)$/i;

function kindOf(path: string): FileKind {
  if (SUBJECTS.test(path)) return 'data';
  if (ENVIRONMENT.test(path)) return 'environment';
  if (CODE.test(path) || CODE_NAMES.test(path)) return 'code';
  return PROSE.test(path) ? 'prose' : 'data';
}

/** The files of an artifact by path in order. Data may be ignored by Git and come along all the same: it is looked for in all of them. */
export function filesOf(tree: ArtifactTree): TreeFile[] {
  const rules = readIgnoreRules(
    [...tree].flatMap(([path, entry]) =>
      /(^|\/)\.gitignore$/.test(path) ? [{ path, text: textOf(entry) ?? '' }] : [],
    ),
  );
  return [...tree]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([path, entry]) => {
      const isShown = !FOREIGN.test(path) && !/(^|\/)\.[^/]+$/.test(path) && !isIgnored(rules, path);
      const isBytes = entry instanceof Uint8Array;
      const unreadable = isBytes ? null : entry.unreadable;
      const bytes = isBytes ? entry.byteLength : 0;
      return { path, kind: kindOf(path), isShown, text: textOf(entry), unreadable, bytes };
    });
}

/** Null for what could not be had, and for what is no UTF-8 text. */
function textOf(entry: TreeEntry): string | null {
  if (!(entry instanceof Uint8Array)) return null;
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(entry);
    return text.includes('\0') ? null : text;
  } catch {
    return null;
  }
}
