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
  if (response.body === null) return response;
  const { status, statusText, headers } = response;
  const isStream = (headers.get('content-type') ?? '').includes('text/event-stream');
  const limit = isStream
    ? limitOf(LONGEST_STREAM_BYTES, LONGEST_LINE_BYTES)
    : limitOf(LONGEST_DOCUMENT_BYTES, Infinity);
  return new Response(response.body.pipeThrough(limit), { status, statusText, headers });
};

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
        controller.error(new ReplyTooLong(`one event of the reply is longer than ${longestLine / MIB} MiB`));
      else controller.enqueue(piece);
    },
  });
}
