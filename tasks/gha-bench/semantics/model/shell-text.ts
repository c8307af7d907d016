const LONGEST = 21_000;

/**
 * A script as written, and as the shell reads it: lines joined, variables that are known put in, quotes gone. A program that starts
 * others has them as command lines, too.
 */
export function scriptForms(script: string, env: Readonly<Record<string, string>> = {}): string[] {
  const written = script.slice(0, LONGEST);
  const started = STARTS_PROGRAMS.test(written) ? [commandLines(written, env)] : [];
  return [written, shellText(written, env), ...started];
}

const STARTS_PROGRAMS = /\b(?:subprocess|exec\w*|spawn\w*)\b/;
const READS_VARIABLE =
  /\b(?:os\.environ|os\.getenv|process\.env)(?:\.get)?(?:\.|[[(]\s{0,9}["'])([A-Za-z_]\w*)(?:["']\s{0,9}[\])])?/g;

/** `["sh", "deploy.sh", os.environ["TARGET"]]` and `exec('sh', ['deploy.sh'])` as `sh deploy.sh staging`. */
function commandLines(script: string, env: Readonly<Record<string, string>>): string {
  return script
    .replace(READS_VARIABLE, (whole, name: string) => (env[name] === undefined ? whole : `"${env[name]}"`))
    .replace(/["'`]\s{0,40},\s{0,40}\[?\s{0,40}["'`]/g, ' ');
}

function shellText(script: string, env: Readonly<Record<string, string>>): string {
  const known = { ...env };
  const lines = script.replace(/\\\n[ \t]*/g, ' ').split('\n');
  return lines
    .map((line) => {
      const read = wordsOf(line, known).replace(/[ \t]+/g, ' ');
      const [, name = '', value = ''] = /^ ?(?:export |local |readonly )?([A-Za-z_]\w*)=(\S*) ?$/.exec(read) ?? [];
      if (name !== '') known[name] = value;
      return read.trim();
    })
    .join('\n');
}

const VARIABLE = /^\$(?:([A-Za-z_]\w*)|\{([A-Za-z_]\w*)(?::?[-?][^}]*)?\})/;

/** One pass: a variable that is not known, or whose value only a run shows, stays as it is written. */
function wordsOf(line: string, env: Readonly<Record<string, string>>): string {
  let text = '';
  let quote = '';
  for (let at = 0; at < line.length; at += 1) {
    const character = line[at] ?? '';
    if (quote === '' ? character === "'" || character === '"' : character === quote) {
      quote = quote === '' ? character : '';
      continue;
    }
    const variable = character === '$' && quote !== "'" ? VARIABLE.exec(line.slice(at, at + 200)) : null;
    const value = env[variable?.[1] ?? variable?.[2] ?? ''];
    const isKnown = variable !== null && value !== undefined && !/[<`$]/.test(value);
    text += isKnown ? value : character;
    if (isKnown) at += variable[0].length - 1;
  }
  return text;
}

/**
 * Lines, from 0, that a shell script runs on a condition of its own: within `if`, `case` and functions, and after a test. What
 * `if` itself runs to decide is none of them.
 */
export function conditionalLines(script: string): Set<number> {
  const found = new Set<number>();
  let depth = 0;
  for (const [at, line] of script.slice(0, LONGEST).split('\n').entries()) {
    const opens = /^\s*(?:if|case|for|while|until)\b|^\s*(?:function\s+)?[\w-]+\s*\(\)\s*\{?\s*$|^\s*function\s/.test(
      line,
    );
    const closes = /(?:^|[;\s])(?:fi|esac|done)\s*(?:[;&|)<>].*)?$|^\s*\}\s*$/.test(line);
    if (depth > 0 || (opens && closes) || /^\s*(?:\[\[?|test)\s.*(?:&&|\|\|)/.test(line)) found.add(at);
    if (opens && !closes) depth += 1;
    if (closes && !opens) depth = Math.max(0, depth - 1);
  }
  return found;
}

/** Whether a script fails whatever it finds: a line of its own says so, in no branch, group or here-document. */
export function endsBadly(script: string): boolean {
  return !script.includes('<<') && /^(?:exit [1-9]\d{0,2}|false|core\.setFailed\(.*)$/m.test(unconditionalText(script));
}

/** The lines that run whatever the script finds. */
export function unconditionalText(script: string): string {
  const conditional = conditionalLines(script);
  return script
    .split('\n')
    .filter((_, at) => !conditional.has(at))
    .join('\n');
}
