const MIB = 1024 ** 2;
/** A million tokens, each in an event of its own, are some 250 MB. */
const LONGEST_STREAM_BYTES = 512 * MIB;
/** A whole answer in one JSON document, or the words of an error. */
const LONGEST_DOCUMENT_BYTES = 32 * MIB;
/** One event; the client holds what has no line end yet, and copies it with every piece that arrives. */
const LONGEST_LINE_BYTES = 4 * MIB;

/** Characters of an answer: four million tokens. */
export const LONGEST_ANSWER = 16 * MIB;

/** A reply that is longer than any answer: reading on would only fill the worker's memory. */
export class ReplyTooLong extends Error {
  override readonly name = 'ReplyTooLong';
}

/** `fetch` whose replies end in a {@link ReplyTooLong} where they exceed what an endpoint may say. */
export const limitedFetch: typeof fetch = async (address, request) => {
  const response = await fetch(address, request);
  const isStream = (response.headers.get('content-type') ?? '').includes('text/event-stream');
  return isStream
    ? limited(response, limitOf(LONGEST_STREAM_BYTES, LONGEST_LINE_BYTES))
    : limited(response, limitOf(LONGEST_DOCUMENT_BYTES, Infinity));
};

/** The same for files of many answers, a line each. */
export const limitedFileFetch: typeof fetch = async (address, request) =>
  limited(await fetch(address, request), limitOf(LONGEST_STREAM_BYTES, LONGEST_DOCUMENT_BYTES));

function limited(response: Response, limit: TransformStream<Uint8Array, Uint8Array>): Response {
  if (response.body === null) return response;
  const { status, statusText, headers } = response;
  return new Response(response.body.pipeThrough(limit), { status, statusText, headers });
}

function limitOf(longest: number, longestLine: number): TransformStream<Uint8Array, Uint8Array> {
  let bytes = 0;
  let lineBytes = 0;
  return new TransformStream({
    transform(piece, controller) {
      bytes += piece.length;
      const lineEnd = piece.lastIndexOf(10);
      lineBytes = lineEnd < 0 ? lineBytes + piece.length : piece.length - lineEnd - 1;
      if (bytes > longest) controller.error(new ReplyTooLong(`the reply is longer than ${longest / MIB} MiB`));
      else if (lineBytes > longestLine)
        controller.error(new ReplyTooLong(`one line of the reply is longer than ${longestLine / MIB} MiB`));
      else controller.enqueue(piece);
    },
  });
}
