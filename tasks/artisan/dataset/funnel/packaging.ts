import type { TreeFile } from './artifact-tree.js';
import {
  firstMatch,
  firstSentence,
  judged,
  notFound,
  unreadPlace,
  type Criterion,
  type StudyView,
} from './judgement.js';
import type { Line } from './source-lines.js';
import type { Place } from './study-record.js';

/** A kind of file that builds an environment: what it is called, and the line that makes it one. */
interface Recipe {
  name: RegExp;
  line: RegExp;
  /** Whether it is about containers: what research about containers collects. */
  ofContainers?: true;
  /** Every line of it must fit: prose in its place is none. */
  isWhole?: true;
  /** Its first instruction must fit. */
  isFirst?: true;
}

const REQUIREMENT =
  /^\s*([A-Za-z][\w.-]*(\[[\w,. -]*\])?\s*((===?|[<>!~]=?)\s*[\w.*+!-]+\s*,?\s*)*(;.*|@\s*\S+)?|-\S.*|git\+\S+)\s*\\?$/;

const RECIPES: readonly Recipe[] = [
  {
    name: /(^|\/)(dockerfile|containerfile)(\.[^/]+)?$|\.dockerfile$/i,
    line: /^\s*FROM\s+(--platform=\S+\s+)?[\w./:@${}-]+(\s+AS\s+\S+)?\s*$/i,
    ofContainers: true,
    isFirst: true,
  },
  { name: /(^|\/)singularity(\.[^/]+)?$|\.def$/i, line: /^\s*Bootstrap\s*:\s*\S+/i, ofContainers: true },
  { name: /(^|\/)(docker-)?compose[^/]*\.ya?ml$/i, line: /^\s+(image|build)\s*:/, ofContainers: true },
  { name: /(^|\/)devcontainer\.json$/, line: /"(image|build|dockerFile)"\s*:/, ofContainers: true },
  { name: /(^|\/)(environment|conda)[^/]*\.ya?ml$/i, line: /^dependencies\s*:/ },
  { name: /(^|\/)requirements[^/]*\.txt$/i, line: REQUIREMENT, isWhole: true },
  { name: /(^|\/)pyproject\.toml$/, line: /^\s*(dependencies\s*=|\[tool\.poetry\.dependencies\]|\[build-system\])/ },
  { name: /(^|\/)setup\.(py|cfg)$/, line: /\binstall_requires\b|\bsetup\(/ },
  { name: /(^|\/)(pipfile(\.lock)?|(poetry|uv)\.lock)$/i, line: /^\s*(\[|")\S/ },
  { name: /(^|\/)renv\.lock$/, line: /"Packages"\s*:/ },
  { name: /(^|\/)DESCRIPTION$/, line: /^(Depends|Imports)\s*:/ },
  { name: /(^|\/)install\.R$/i, line: /\b(install\.packages|install_(github|version|cran))\(/ },
  { name: /(^|\/)(Project|Manifest)\.toml$/, line: /^\[(\[?)deps/ },
  { name: /(^|\/)Cargo\.toml$/, line: /^\[(dependencies|package)\]/ },
  { name: /(^|\/)package\.json$/, line: /"(devD|d)ependencies"\s*:/ },
  { name: /(^|\/)(flake|default|shell)\.nix$/, line: /\S/ },
  { name: /(^|\/)Vagrantfile$/i, line: /Vagrant\.configure/ },
  { name: /(^|\/)pom\.xml$/, line: /<dependenc(y|ies)>/ },
  { name: /(^|\/)build\.gradle(\.kts)?$/, line: /^\s*(dependencies|plugins)\s*\{/ },
  { name: /(^|\/)go\.mod$/, line: /^module\s+\S+/ },
];

const ABOUT_CONTAINERS = /\b(docker\w*|containers?|containeri[sz]\w+|kubernetes|helm charts?)\b/i;
/** Where research about containers has its own. */
const OWN = /^((artifact|docker|\.devcontainer|\.binder|environment)\/)?[^/]+$/i;

const IMAGE_COMMAND = /\b(docker|podman)\s+(pull|load|run)\b|\bsingularity\s+pull\b/;

/** Whether a file builds an environment: one of the artifact, or the image that the benchmark brings. */
export const packaged: Criterion = {
  id: 'packaged',
  asks: 'a file builds an environment',
  level: 'study',
  judge(study) {
    const { record, files } = study;
    const isAboutContainers = record.about.some(({ value }) => ABOUT_CONTAINERS.test(value));
    const candidates = files.flatMap((file) => {
      const recipe = RECIPES.find(({ name }) => name.test(file.path));
      const isSubject = recipe?.ofContainers === true && isAboutContainers && !OWN.test(file.path);
      return recipe === undefined || file.kind === 'data' || isSubject ? [] : [{ file, recipe }];
    });
    for (const { file, recipe } of candidates) {
      const place = file.text === null ? null : recipeLine(recipe, file, study);
      if (place !== null) return judged('in', 'builds an environment', place);
    }
    if (record.environment !== null) return judged('in', 'the benchmark brings an image', record.environment.place);
    const unread = candidates.filter(({ file }) => file.text === null).map(({ file }) => unreadPlace(file));
    if (unread.length > 0) return judged('unknown', 'could not be read', ...unread);
    const command = isAboutContainers ? null : firstSentence(study.prose, IMAGE_COMMAND);
    if (command !== null) return judged('unknown', 'an image is named, nothing builds it', command);
    return notBuilt(study, isAboutContainers);
  },
};

function recipeLine({ line, isWhole, isFirst }: Recipe, file: TreeFile, { code }: StudyView): Place | null {
  const lines = (code.find((source) => source.file === file)?.lines ?? rawLines(file)).filter(({ text }) =>
    /\S/.test(text),
  );
  if (isWhole === true && !lines.every(({ text }) => line.test(text))) return null;
  if (isFirst === true) return firstMatch(lines.filter(({ text }) => !/^\s*ARG\s/i.test(text)).slice(0, 1), line);
  return firstMatch(lines, line);
}

const rawLines = ({ path, text }: TreeFile): Line[] =>
  (text ?? '').split(/\r?\n/).map((each, index) => ({ file: path, number: index + 1, text: each }));

/** What looks like a recipe and is none, or is what was studied, is shown as the reason. */
function notBuilt(study: StudyView, isAboutContainers: boolean): ReturnType<typeof notFound> {
  const alike = study.files.find(({ path }) => RECIPES.some(({ name }) => name.test(path)));
  if (alike === undefined || study.unread.length > 0) return notFound(study, 'out', 'no file builds an environment');
  const isSubject = alike.kind === 'data' || isAboutContainers;
  const first = (alike.text ?? '').split('\n')[0] ?? '';
  return judged('out', isSubject ? 'is what was studied' : 'builds nothing', {
    file: alike.path,
    line: 1,
    match: first.trim(),
  });
}
