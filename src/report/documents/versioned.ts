/** Of every JSON document that is printed or written. Raised when a key goes or means something else; new keys may come at any time. */
export const DOCUMENT_VERSION = 2;

/** A document as it is printed: with the version of the format first. */
export function versioned<Body extends object>(body: Body): { version: typeof DOCUMENT_VERSION } & Body {
  return { version: DOCUMENT_VERSION, ...body };
}
