import type { YamlSource } from '../domain/shape/yaml-source.js';

/**
 * The same file, for problems that speak of a system's further settings as if they stood in its entry
 * (`systems[0].window`): where one was written under `options`, the place is there.
 */
export function withOptionPlaces(source: YamlSource): YamlSource {
  const written = (path: readonly PropertyKey[]): PropertyKey[] => {
    const [list, index, key, ...rest] = path;
    const entry = list === 'systems' && key !== undefined ? valueIn(valueIn(source.value, list), index) : undefined;
    const isUnderOptions = !has(entry, key) && has(valueIn(entry, 'options'), key);
    return isUnderOptions && list !== undefined && index !== undefined && key !== undefined
      ? [list, index, 'options', key, ...rest]
      : [...path];
  };
  return {
    ...source,
    place: (path, key) => {
      if (key === undefined) return source.place(written(path));
      const whole = written([...path, key]);
      return source.place(whole.slice(0, -1), key);
    },
    typed: (path) => source.typed(written(path)),
  };
}

const has = (value: unknown, key: PropertyKey | undefined): boolean =>
  key !== undefined && typeof value === 'object' && value !== null && Object.hasOwn(value, key);

const valueIn = (value: unknown, key: PropertyKey | undefined): unknown =>
  has(value, key) ? (value as Record<PropertyKey, unknown>)[key as PropertyKey] : undefined;
