/** What a text says as JSON; undefined where it is none, which no JSON is. */
export function parsedJson(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}
