import { DomainFailure } from '../../../src/domain/domain-failure.js';
import type { StageContext } from '../../../src/ports/suite.js';

/** What a system is told about the repository it has to write; never the real project's name. */
export interface Purpose {
  /** The paraphrased name RPG-ZeroRepo uses. */
  title: string;
  /** What the library is for, in our words. */
  text: string;
  /** Third-party packages present when the repository is tested. */
  dependencies: readonly string[];
}

/** The purpose of the project a candidate is made for, in the words of the system where it has its own. */
export function purposeOf({ scope, system }: Pick<StageContext, 'scope' | 'system'>): Purpose {
  const purpose = PURPOSES[scope ?? ''];
  if (purpose === undefined) throw new DomainFailure('harness.bug', `no purpose is written for project ${scope}`);
  const { purpose: own } = system.options;
  return typeof own === 'string' ? { ...purpose, text: own } : purpose;
}

/** Project → purpose. */
export const PURPOSES: Readonly<Record<string, Purpose>> = {
  requests: {
    title: 'HttpEasy',
    text: 'An HTTP client library for people. It sends requests of every method with query parameters, form data, JSON bodies, file uploads, headers, cookies, authentication (basic, digest, proxy, netrc), timeouts, proxies and TLS settings; keeps settings, cookies and connections in sessions; follows redirects safely; prepares requests before they are sent and lets hooks and transport adapters take part; and returns responses with status, headers, decoded text, JSON, streaming content, links and history. It has case-insensitive header dictionaries, a cookie jar that reads like a dictionary, named status codes, a hierarchy of exceptions, and helpers for encodings, URLs, header parsing and proxies from the environment.',
    dependencies: ['urllib3', 'idna', 'certifi', 'charset-normalizer'],
  },
  textkit: {
    title: 'ProseMeter',
    text: 'A small text statistics library in plain Python. It tokenizes text (whitespace, accents, words, sentences, paragraphs, stopwords, stems, n-grams, identifiers); measures it (word frequencies, lexical diversity, entropy, syllables, averages, readability formulas); compares texts (edit distance, overlap of words and of characters, cosine, common subsequence and substring, Jaro, closest match, similarity matrix); and formats and summarizes it (wrapping, truncation, aligned columns, slugs, titles, plurals, lists, histograms, keywords, summaries).',
    dependencies: [],
  },
};
