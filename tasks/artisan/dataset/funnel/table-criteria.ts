import {
  firstMatch,
  firstSentence,
  judged,
  notFound,
  ofFact,
  unreadPlace,
  type Criterion,
  type StudyView,
} from './judgement.js';
import type { TreeFile } from './artifact-tree.js';
import type { Place, TableRecord } from './study-record.js';

const NUMERIC = /^[\s$*(<>≤~±+\u2212-]*[\d.]*\d/;
const NO_RESULTS =
  /\b(hyper-?parameters?|notations?|related work|research questions|glossary|abbreviations?|features? of the tools|questionnaire)\b/i;

/** Whether a table holds results that can be compared. */
export const resultTable: Criterion = {
  id: 'result-table',
  asks: 'a table of results',
  level: 'table',
  judge(_study, { caption, cells }) {
    const other = caption === null ? null : NO_RESULTS.exec(caption.value);
    if (caption && other)
      return judged('out', 'its caption says that it has no results', { ...caption.place, match: other[0] });
    return ofFact(cells, 'its cells could not be read', (values, place) => {
      const numbers = values.filter((value) => NUMERIC.test(value)).length;
      return judged(
        2 * numbers >= values.length && numbers > 0 ? 'in' : 'out',
        `${numbers} of ${values.length} cells are numbers`,
        place,
      );
    });
  },
};

const READS =
  /\b(read_(?:csv|table|excel|json|parquet|feather|tsv|rds)|read\.(?:csv2?|table|delim)|readRDS|fread|loadtxt|genfromtxt|load|open|source_data)\(\s*(?:file\s*=\s*)?["']([^"']+\.[A-Za-z0-9]+)["']/;
const WRITES =
  /\b(to_csv|to_json|to_parquet|savetxt|save|dump|write[._]\w+|saveRDS|download\.file|urlretrieve)\b|["']w[b+]?["']|>\s*\S+$|\b(wget|curl)\b/;
const WEB = /["'](https?|ftp):\/\//;
const ARCHIVE = /\.(zip|7z|rar|tar|tgz|gz|bz2|xz|zst)$/i;
const POINTER = /^version https:\/\/git-lfs\.github\.com\/spec\/|^\/annex\/objects\//;
const PAGE = /^\s*<(!doctype html|html)/i;
const ON_REQUEST =
  /\b(data\w*|files?)\b[^.]*\b((available|shared|provided)\s+(up)?on\s+(reasonable\s+)?request|cannot be (shared|published)|confidential|proprietary)\b/i;
const DOWNLOADED = /\b(download|fetch|obtain|retrieve)\b[^.]*\b(data\w*|corpus|files?|archive)\b/i;

/** Whether the data that a table is computed from is in the artifact. */
export const dataThere: Criterion = {
  id: 'data-there',
  asks: 'its data is in the artifact',
  level: 'table',
  judge(study, { data }) {
    const withheld = firstSentence(study.prose, ON_REQUEST);
    if (withheld !== null) return judged('out', 'the authors do not give the data on', withheld);
    const wanted = data === null ? readByCode(study) : data.map((path) => ({ path, place: null }));
    for (const { path, place } of wanted) {
      if (place !== null && WEB.test(place.match)) return judged('unknown', 'is read from the web', place);
      const found = study.allFiles.find((file) => file.path === path || file.path.endsWith(`/${path}`));
      if (found === undefined) return missing(study, { path, place });
      const judgement = contentOf(found);
      if (judgement !== null) return judgement;
    }
    const [first] = wanted;
    if (first !== undefined)
      return judged('in', 'the data is there', first.place ?? { file: first.path, line: null, match: first.path });
    const any = study.allFiles.find((file) => file.kind === 'data' && file.bytes > 0 && file.isShown);
    const readable = any === undefined ? null : contentOf(any);
    if (any !== undefined)
      return (
        readable ??
        judged('unknown', 'a file of data, which no code names', { file: any.path, line: null, match: any.path })
      );
    return notFound(study, 'unknown', 'no code names a file of data');
  },
};

/** A file that is there and holds no data. */
function contentOf(file: TreeFile): ReturnType<typeof judged> | null {
  if (file.unreadable !== null) return judged('unknown', 'could not be read', unreadPlace(file));
  const at = (match: string): Place => ({ file: file.path, line: file.bytes === 0 ? null : 1, match });
  if (file.bytes === 0) return judged('out', 'is empty', at('0 bytes'));
  const first = (file.text ?? '').split('\n')[0] ?? '';
  if (POINTER.test(first)) return judged('unknown', 'stands for a file that was not taken along', at(first));
  return PAGE.test(first) ? judged('unknown', 'is a page of the web: the download failed', at(first)) : null;
}

/** Of files that code reads and writes nowhere: by the last part of their names, since folders differ where code runs. */
function readByCode({ code }: StudyView): { path: string; place: Place }[] {
  const lines = code.flatMap((source) => source.lines);
  const written = lines.filter(({ text }) => WRITES.test(text)).map(({ text }) => text);
  return lines.flatMap(({ file, number, text }) => {
    const found = READS.exec(text);
    const path = found?.[2]?.split('/').at(-1);
    if (found === null || path === undefined || WRITES.test(text)) return [];
    return written.some((each) => each.includes(path))
      ? []
      : [{ path, place: { file, line: number, match: found[0] } }];
  });
}

function missing(study: StudyView, { path, place }: { path: string; place: Place | null }): ReturnType<typeof judged> {
  const download = firstSentence(study.prose, DOWNLOADED);
  if (download !== null) return judged('unknown', `${path} is to be downloaded`, download);
  const archive = study.allFiles.find((file) => ARCHIVE.test(file.path));
  if (archive !== undefined)
    return judged('unknown', `${path} may be in an archive`, { file: archive.path, line: null, match: archive.path });
  if (!study.record.download.isComplete) return notFound(study, 'unknown', `${path} is not there`);
  return judged('out', `${path} is not there`, place ?? { file: path, line: null, match: path });
}

const RANDOM = new RegExp(
  [
    '\\brandom\\.(random|randint|choices?|shuffle|sample|gauss|uniform)\\(',
    '\\bnp\\.random\\.(?!seed|default_rng|RandomState)\\w+\\(|\\bdefault_rng\\(\\s*\\)',
    '\\btorch\\.(rand|randn|randint|randperm)\\(',
    '\\b(train_test_split|RandomForest\\w+|KMeans)\\((?!.*random_state)',
    '\\b(glht|pmvt|pmvnorm|qmvt|qmvnorm|cforest|randomForest)\\(',
    '\\b(rnorm|runif|rbinom|rexp|rgamma|rpois|rmvnorm|mvrnorm|sample|sample\\.int|approximate|replicate|boot|bootstrap)\\(',
    '\\bMath\\.random\\(|\\bnew Random\\(\\)|\\brand\\(',
  ].join('|'),
);
const SEED =
  /\bseed\s*\(\s*\w|\bset\.seed\(|\bmanual_seed\(|\bdefault_rng\(\s*\w|\bRandomState\(\s*\w|\brandom_state\s*=\s*(?!None)\w|\bsrand\(\s*\d|\bnew Random\(\s*\w|\bseed\s*[=:]\s*\d/i;

/** What a NAMESPACE of R says: which names a package gives and takes, and nothing of what they do. */
const EXPORT = /^\s*((export|import)\w*|S3method|useDynLib)\(.*\)\s*$|^\s*$/;

/** Whether a table comes out the same again, or within bounds that are known. */
export const deterministic: Criterion = {
  id: 'deterministic',
  asks: 'deterministic, or its intervals known',
  level: 'table',
  judge(study, { intervals }) {
    if (intervals !== null) return judged('in', 'the intervals of its cells are known', intervals.place);
    const sources = study.code.filter(
      ({ file, lines }) => file.kind === 'code' && !lines.every(({ text }) => EXPORT.test(text)),
    );
    let seed: Place | null = null;
    for (const { lines } of sources) {
      const random = firstMatch(lines, RANDOM);
      if (random === null) continue;
      seed ??= firstMatch(lines, SEED);
      if (firstMatch(lines, SEED) === null) return judged('out', 'chance without a seed', random);
    }
    if (sources.length === 0 && study.unread.length === 0) return judged('unknown', 'there is no code');
    if (study.unread.length > 0) return notFound(study, 'unknown', 'nothing of chance was found');
    return seed === null ? judged('in', 'nothing of chance was found') : judged('in', 'chance has a seed', seed);
  },
};

const MEASURES =
  /\b(run(ning)?[ -]?times?|execution[ -]times?|wall[ -]?clock|(cpu|gpu|training|inference|build|analysis)[ -]times?|elapsed|latenc\w+|throughput|speed-?ups?|memory (usage|consumption|footprint)|energy consumption|overhead)\b|\btime\s*[[(]\s*(s|ms|sec\w*|min\w*|h)\s*[\])]/i;
const DEVICE = /\b(FPGAs?|TPUs?|SGX|Raspberry Pi|Android (device|phone)s?|(HPC|Slurm|compute) clusters?)\b/i;
const REQUIRES = /\b(requires?|required|needs?|needed|must|necessary)\b/i;
const NOT = /\b(no|not|without|optional|optionally)\b/i;
const MEMORY =
  /\b(\d+)\s*(GB|GiB|TB|TiB)\b(?=[^.]*\b(RAM|memory)\b)|\b(?:RAM|memory)\b[^.\d]*(\d+)\s*(GB|GiB|TB|TiB)\b/i;
/** More than that a machine which runs benchmarks seldom has; a choice of ours. */
const MOST_GIB = 64;

/** Whether its values do not measure the machine, and an ordinary machine is enough. */
export const ordinaryHardware: Criterion = {
  id: 'hardware',
  asks: 'does not depend on the hardware',
  level: 'table',
  judge(study, { caption, columns }: TableRecord) {
    for (const { value, place } of [caption, columns].filter((fact) => fact !== null)) {
      const measured = MEASURES.exec([value].flat().join(' | '));
      if (measured !== null) return judged('out', 'its values measure the machine', { ...place, match: measured[0] });
    }
    const required = study.prose.filter(({ text }) => REQUIRES.test(text) && !NOT.test(text));
    const device = firstSentence(required, DEVICE);
    if (device !== null) return judged('out', 'a device is asked for', device);
    for (const sentence of required) {
      const found = MEMORY.exec(sentence.text);
      const gib = Number(found?.[1] ?? found?.[4] ?? 0) * (/^t/i.test(found?.[2] ?? found?.[5] ?? '') ? 1024 : 1);
      if (found !== null && gib > MOST_GIB) return judged('out', 'more memory than there is', sentence.placeOf(found));
    }
    if (caption === null && columns === null) return judged('unknown', 'its caption could not be read');
    return notFound(study, 'in', 'measures nothing of the machine');
  },
};
