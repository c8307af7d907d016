import { MOST_LEVELS, placeOf, placeProblem } from '../feature-tree.js';

/** A feature tree as a table: node n has the name `names[nameOf[n]]` and lies below node `parentOf[n]`; -1 is the top. */
export interface TreeTable {
  /** Distinct names. */
  names: string[];
  nameOf: Int32Array;
  parentOf: Int32Array;
  leaves: number;
}

/** Larger trees are refused: what is shown of one is a few dozen leaves a round. */
const MOST_LEAVES = 2_000_000;

/**
 * Reads a feature tree from a file of any size, a piece at a time, without ever holding its text: JSON in UTF-8, with the
 * rules of `featureTreeProblems`. Stops at the first thing that is wrong, and says where.
 */
export async function scanTree(
  pieces: AsyncIterable<Uint8Array>,
  mostLeaves = MOST_LEAVES,
): Promise<TreeTable | { problems: string[] }> {
  const decoder = new TextDecoder('utf-8', { fatal: true });
  const scanner = new TreeScanner(mostLeaves);
  let bytes = 0;
  try {
    for await (const piece of pieces) {
      if (bytes === 0 && isUtf16(piece)) return { problems: ['is UTF-16; save it as UTF-8'] };
      scanner.read(decoded(decoder, piece, bytes));
      bytes += piece.byteLength;
    }
    scanner.read(decoded(decoder, undefined, bytes));
    return scanner.end();
  } catch (error) {
    if (error instanceof TreeProblem) return { problems: [error.message] };
    throw error;
  }
}

/** What is wrong with a tree. */
class TreeProblem extends Error {}

const isUtf16 = ([first, second]: Uint8Array): boolean =>
  (first === 0xff && second === 0xfe) || (first === 0xfe && second === 0xff);

function decoded(decoder: InstanceType<typeof TextDecoder>, piece: Uint8Array | undefined, at: number): string {
  try {
    return piece === undefined ? decoder.decode() : decoder.decode(piece, { stream: true });
  } catch {
    throw new TreeProblem(`is not UTF-8 (after ${at} bytes); save it as UTF-8`);
  }
}

/** A list of whole numbers that grows. */
class Numbers {
  private values = new Int32Array(1024);
  length = 0;

  push(value: number): void {
    if (this.length === this.values.length) {
      const larger = new Int32Array(this.values.length * 2);
      larger.set(this.values);
      this.values = larger;
    }
    this.values[this.length++] = value;
  }

  at(index: number): number {
    return this.values[index] ?? -1;
  }

  done(): Int32Array {
    return this.values.slice(0, this.length);
  }
}

/** An object or a list that is open: `node` is what its entries lie below. */
interface Open {
  isObject: boolean;
  node: number;
}

type Wanted = 'value' | 'value-or-end' | 'key' | 'key-or-end' | 'colon' | 'comma-or-end' | 'nothing';

class TreeScanner {
  private readonly names = new Map<string, number>();
  private readonly nameOf = new Numbers();
  private readonly parentOf = new Numbers();
  private readonly hasChild: boolean[] = [];
  private readonly open: Open[] = [];
  private leaves = 0;
  private wanted: Wanted = 'value';
  /** The node of the key that was read last; what comes after the colon lies below it. */
  private below = -1;
  /** Text of a name that is not closed yet, as it stands; null outside names. */
  private text: string | null = null;

  constructor(private readonly mostLeaves: number) {}

  read(piece: string): void {
    for (let at = 0; at < piece.length; at += 1) {
      if (this.text !== null) at = this.readName(piece, at);
      else this.readMark(piece.charAt(at));
    }
  }

  end(): TreeTable | { problems: string[] } {
    if (this.wanted !== 'nothing' || this.text !== null) throw new TreeProblem('is not JSON: it ends too early');
    if (this.leaves === 0) throw new TreeProblem('has no leaf');
    const names = [...this.names.keys()];
    return { names, nameOf: this.nameOf.done(), parentOf: this.parentOf.done(), leaves: this.leaves };
  }

  /** @returns the place of the last character that belongs to the name */
  private readName(piece: string, from: number): number {
    let at = from;
    for (let isEscaped = this.endsInEscape(); at < piece.length; at += 1) {
      const mark = piece.charAt(at);
      if (mark === '"' && !isEscaped) break;
      isEscaped = mark === '\\' && !isEscaped;
    }
    this.text += piece.slice(from, at);
    if ((this.text?.length ?? 0) > LONGEST_TEXT)
      throw new TreeProblem(`has a name of more than ${LONGEST_TEXT} characters below ${this.place(this.inside())}`);
    if (at < piece.length) this.nameRead();
    return at;
  }

  private endsInEscape(): boolean {
    const tail = /\\+$/.exec(this.text ?? '')?.[0] ?? '';
    return tail.length % 2 === 1;
  }

  private nameRead(): void {
    let name: string;
    try {
      name = JSON.parse(`"${this.text ?? ''}"`) as string;
    } catch {
      throw new TreeProblem(`is not JSON: a text that is none below ${this.place(this.inside())}`);
    }
    this.text = null;
    const isKey = this.wanted === 'key' || this.wanted === 'key-or-end';
    const node = this.add(name, isKey || this.open.at(-1)?.isObject !== true ? this.inside() : this.below);
    if (isKey) this.below = node;
    this.wanted = isKey ? 'colon' : this.afterValue();
  }

  private readMark(mark: string): void {
    if (mark === ' ' || mark === '\n' || mark === '\r' || mark === '\t' || mark === '\ufeff') return;
    const { wanted } = this;
    if (mark === '"' && wanted !== 'colon' && wanted !== 'comma-or-end' && wanted !== 'nothing') this.text = '';
    else if ((mark === '{' || mark === '[') && (wanted === 'value' || wanted === 'value-or-end')) this.opened(mark);
    else if (this.isClosing(mark)) this.closed();
    else if (mark === ':' && wanted === 'colon') this.wanted = 'value';
    else if (mark === ',' && wanted === 'comma-or-end') this.wanted = this.open.at(-1)?.isObject ? 'key' : 'value';
    else if (/[-0-9tfn]/.test(mark) && wanted.startsWith('value'))
      throw new TreeProblem(`${this.place(this.target())} holds a number, true, false or null, which is no name`);
    else throw new TreeProblem(`is not JSON: "${mark}" where ${WORDS[wanted]}, below ${this.place(this.inside())}`);
  }

  private opened(mark: string): void {
    this.open.push({ isObject: mark === '{', node: this.target() });
    if (this.open.length > 2 * MOST_LEVELS) throw new TreeProblem(`is more than ${MOST_LEVELS} levels deep`);
    this.wanted = mark === '{' ? 'key-or-end' : 'value-or-end';
  }

  private isClosing(mark: string): boolean {
    const last = this.open.at(-1);
    if (last === undefined || mark !== (last.isObject ? '}' : ']')) return false;
    return this.wanted === 'comma-or-end' || this.wanted === (last.isObject ? 'key-or-end' : 'value-or-end');
  }

  private closed(): void {
    this.open.pop();
    this.wanted = this.afterValue();
  }

  private afterValue(): Wanted {
    return this.open.length === 0 ? 'nothing' : 'comma-or-end';
  }

  /** What the entries of the innermost open object or list lie below. */
  private inside(): number {
    return this.open.at(-1)?.node ?? -1;
  }

  /** What a value that begins here lies below. */
  private target(): number {
    return this.open.at(-1)?.isObject === true ? this.below : this.inside();
  }

  private add(name: string, parent: number): number {
    const path = [...this.path(parent), name];
    const problem =
      path.length > MOST_LEVELS
        ? `is more than ${MOST_LEVELS} levels deep at ${placeOf(path.slice(0, 3))} / …`
        : placeProblem(path);
    if (problem !== undefined) throw new TreeProblem(problem);
    // A name that takes the place of its parent as a leaf adds none.
    if (parent < 0 || this.hasChild[parent] === true) this.leaves += 1;
    if (parent >= 0) this.hasChild[parent] = true;
    if (this.leaves > this.mostLeaves)
      throw new TreeProblem(`has more than ${this.mostLeaves.toLocaleString('en')} leaves`);
    const known = this.names.get(name) ?? this.names.size;
    if (known === this.names.size) this.names.set(name, known);
    this.nameOf.push(known);
    this.parentOf.push(parent);
    this.list.push(name);
    return this.nameOf.length - 1;
  }

  /** Names of all nodes, for places; shares its texts with the map. */
  private readonly list: string[] = [];

  private path(node: number): string[] {
    const path: string[] = [];
    for (let at = node; at >= 0; at = this.parentOf.at(at)) path.unshift(this.list[at] ?? '');
    return path;
  }

  private place(node: number): string {
    return placeOf(this.path(node));
  }
}

/** Beyond it, it is no name that could be shown. */
const LONGEST_TEXT = 10_000;

const WORDS: Readonly<Record<Wanted, string>> = {
  value: 'a text, an object or a list has to stand',
  'value-or-end': 'a text, an object or a list has to stand',
  key: 'a name has to stand',
  'key-or-end': 'a name has to stand',
  colon: 'a colon has to stand',
  'comma-or-end': 'a comma or the end has to stand',
  nothing: 'nothing more may stand',
};
