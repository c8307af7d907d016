/** `systems[1].model`, the way people point at a place in a file. */
export function pathText(path: readonly PropertyKey[]): string {
  return path.reduce<string>((text, key) => {
    if (typeof key === 'number') return `${text}[${key}]`;
    const word = key === '' ? '""' : String(key);
    return text === '' ? word : `${text}.${word}`;
  }, '');
}
