import { firstSentence, judged, notFound, type Criterion, type SourceFile, type StudyView } from './judgement.js';
import type { Place } from './study-record.js';

/** What an artifact must not need, as it shows in code, and as people say it. */
interface Need {
  /** In code and files of environments. */
  code: RegExp;
  /** Of such a line: it is only used where it is there. */
  soft: RegExp;
  /** In a file that has this, it is only used where it is there. */
  fallback: RegExp | null;
  /** A sentence names it, or asks for it, or says that it is not needed. */
  named: RegExp;
  needed: RegExp;
  notNeeded: RegExp;
}

const API_LIBRARIES = 'openai|anthropic|cohere|mistralai|groq|replicate|litellm|tweepy|google\\.generativeai|vertexai';

const API: Need = {
  code: new RegExp(
    [
      `^\\s*(import|from)\\s+(${API_LIBRARIES})\\b`,
      `\\b(library|require|requireNamespace)\\(["']?(openai|ellmer|chatgpt|rtweet)["']?[,)]`,
      `(require\\(|from\\s+)["'](openai|@anthropic-ai/sdk|cohere-ai)["']`,
      '\\b[A-Z][A-Z0-9_]*_(API_KEY|API_TOKEN|BEARER_TOKEN|SECRET_ACCESS_KEY)\\b',
      '\\bapi\\.(openai|anthropic|cohere|mistral|groq|twitter|x)\\.(com|ai)\\b',
    ].join('|'),
  ),
  soft: /\.get\(|\bgetenv\(|process\.env\b.*(\?\?|\|\|)|\$\{\w+:-|requireNamespace\(/,
  fallback: null,
  named: /\b[A-Z][A-Z0-9_]*_API_KEY\b|\bAPI[ -]keys?\b|\bpaid (account|subscription|API)\b/i,
  needed:
    /\b[A-Z][A-Z0-9_]*_API_KEY\b|(?<=\b(an?|your|valid|paid)\s+(\S+\s+){0,3}?)API[ -]keys?\b|\bAPI[ -]keys?\s+(is|are)\s+(required|needed|necessary)|\bpaid (account|subscription|API)\b/i,
  notNeeded: new RegExp(
    [
      `\\b(no|without(\\s+an?|\\s+any)?)\\s+(\\S+\\s+){0,2}?(API[ -]keys?|paid)\\b`,
      `\\bkeys?\\b[^.]*\\b(not\\s+(be\\s+)?(required|needed|necessary)|optional)`,
      `\\b(not|n't)\\s+(need|require)`,
    ].join('|'),
    'i',
  ),
};

const GPU: Need = {
  code: new RegExp(
    [
      '\\.cuda\\(\\)',
      '\\.to\\(["\']cuda',
      'device\\s*=\\s*(torch\\.device\\()?["\']cuda',
      '\\b(import|from)\\s+(cupy|pycuda|cudf)\\b|\\bfrom\\s+numba\\s+import\\s+cuda\\b',
      '^\\s*FROM\\s+nvidia/',
      '--gpus\\b|\\bnvidia-smi\\b|runtime:\\s*nvidia',
      '\\b(faiss|tensorflow|onnxruntime)-gpu\\b|\\bcupy-cuda',
      'tf\\.device\\(["\']/gpu|accelerator\\s*=\\s*["\']gpu',
    ].join('|'),
    'i',
  ),
  soft: /\belse\b\s*\(?["']cpu|is_available\(\)/,
  fallback: /\b(cuda\.)?is_available\(\)|list_physical_devices\(/,
  named: /\b(GPUs?|CUDA|graphics cards?)\b/i,
  needed: /\b(GPUs?|CUDA|graphics cards?)\b/i,
  notNeeded: new RegExp(
    [
      `\\b(no|without(\\s+an?|\\s+any)?)\\s+(\\S+\\s+){0,2}?(GPUs?|CUDA|graphics\\s+cards?)\\b`,
      `\\b(GPUs?|CUDA|cards?)\\b[^.]*\\b(not\\s+(be\\s+)?(required|needed|necessary)|optional)`,
      `\\b(not|n't)\\s+(need|require)|\\bCPU[- ]only\\b|\\bruns?\\s+on\\s+(an?\\s+|the\\s+)?CPUs?\\b`,
    ].join('|'),
    'i',
  ),
};

const REQUIRES =
  /\b(requires?|required|requirements?|needs?|needed|must|necessary|mandatory|set|export|provide|obtain|put)\b/i;

const FAILS_WITHOUT = /\b(not|n't|cannot|never|nothing)\b[^.]*\bwithout\b|\bfails?\s+without\b/i;

/** Whether it runs without a service that asks for a key or for money. */
export const noPrivateApi: Criterion = {
  id: 'public-apis',
  asks: 'no API that is not public',
  level: 'study',
  judge: (study) => judgeNeed(study, API),
};

/** Whether it runs without a graphics card. */
export const noGpu: Criterion = {
  id: 'no-gpu',
  asks: 'no GPU',
  level: 'study',
  judge: (study) => judgeNeed(study, GPU),
};

/** What the authors say decides; else what the code does. */
function judgeNeed(
  study: StudyView,
  { code, soft, fallback, named, needed, notNeeded }: Need,
): ReturnType<typeof judged> {
  const said = study.prose.filter(({ text }) => named.test(text));
  const isFree = (text: string): boolean => notNeeded.test(text) && !FAILS_WITHOUT.test(text);
  const free = firstSentence(
    said.filter(({ text }) => isFree(text)),
    named,
  );
  if (free !== null) return judged('in', 'the authors say that it is not needed', free);
  const asked = firstSentence(
    said.filter(({ text }) => REQUIRES.test(text) || FAILS_WITHOUT.test(text)),
    needed,
  );
  if (asked !== null) return judged('out', 'the authors ask for it', asked);
  const uses = study.code.flatMap((source) => usesIn(source, { code, soft, fallback }));
  const hard = uses.find(({ use }) => use === 'needed');
  if (hard !== undefined) return judged('out', 'the code uses it', hard.place);
  const asks = uses.find(({ use }) => use === 'asked');
  if (asks !== undefined && fallback === null)
    return judged('unknown', 'used where it is there; whether it must be is not said', asks.place);
  const optional = uses[0];
  if (optional !== undefined && study.unread.length === 0)
    return judged('in', 'used only where it is there', optional.place);
  return notFound(study, 'in', 'nothing asks for it');
}

/** `asked`: looked for, and perhaps done without; `optional`: done without, as the code shows. */
interface Use {
  use: 'needed' | 'asked' | 'optional';
  place: Place;
}

function usesIn({ lines }: SourceFile, { code, soft, fallback }: Pick<Need, 'code' | 'soft' | 'fallback'>): Use[] {
  const hasFallback = fallback !== null && lines.some(({ text }) => fallback.test(text));
  return lines.flatMap(({ file, number, text }, index): Use[] => {
    const found = code.exec(text);
    if (found === null) return [];
    const place = { file, line: number, match: found[0].trim() };
    if (hasFallback || isGuarded(lines, index)) return [{ use: 'optional', place }];
    return [{ use: soft.test(text) ? 'asked' : 'needed', place }];
  });
}

/** Whether a line is in a block that is tried, or asked for first. */
function isGuarded(lines: SourceFile['lines'], index: number): boolean {
  const indentOf = (text: string): number => /^\s*/.exec(text)?.[0].length ?? 0;
  let indent = indentOf(lines[index]?.text ?? '');
  if (/^\s*if\s*\(.*requireNamespace\(/.test(lines[index]?.text ?? '')) return true;
  for (let at = index - 1; at >= 0 && indent > 0; at--) {
    const { text } = lines[at] ?? { text: '' };
    if (!/\S/.test(text) || indentOf(text) >= indent) continue;
    indent = indentOf(text);
    if (/^\s*(if TYPE_CHECKING|if\s*\(.*requireNamespace\()/.test(text)) return true;
    if (/^\s*try\b/.test(text)) return catchesImport(lines.slice(index + 1), indent);
  }
  return false;
}

/** What follows a tried block at its indent catches that a library is not there. */
function catchesImport(lines: SourceFile['lines'], indent: number): boolean {
  const next = lines.find(({ text }) => /\S/.test(text) && (/^\s*/.exec(text)?.[0].length ?? 0) <= indent);
  return /^\s*(except\b\s*(:|\(?.*(ImportError|ModuleNotFoundError|Exception))|\}\s*catch)/.test(next?.text ?? '');
}
