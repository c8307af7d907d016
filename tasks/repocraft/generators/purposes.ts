import { DomainFailure } from '../../../src/domain/failure/domain-failure.js';
import type { StageContext } from '../../../src/suite/stage.js';

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
const PURPOSES: Readonly<Record<string, Purpose>> = {
  requests: {
    title: 'HttpEasy',
    text: 'An HTTP client library for people. It sends requests of every method with query parameters, form data, JSON bodies, file uploads, headers, cookies, authentication (basic, digest, proxy, netrc), timeouts, proxies and TLS settings; keeps settings, cookies and connections in sessions; follows redirects safely; prepares requests before they are sent and lets hooks and transport adapters take part; and returns responses with status, headers, decoded text, JSON, streaming content, links and history. It has case-insensitive header dictionaries, a cookie jar that reads like a dictionary, named status codes, a hierarchy of exceptions, and helpers for encodings, URLs, header parsing and proxies from the environment.',
    dependencies: ['urllib3', 'idna', 'certifi', 'charset-normalizer'],
  },
  django: {
    title: 'PyWebEngine',
    text: 'A full-stack web framework. Data models are declared as classes with typed fields and relations and become tables of a relational database (an embedded one at least) through a schema editor; lazy, chainable queries filter, exclude, order, annotate, aggregate, group, combine, prefetch and update, with expressions, database functions, conditions, window functions and transactions. Addresses are routed to function and class based views, generic ones among them, through middleware, with requests, responses, cookies, sessions, messages, file uploads and cross-site forgery protection. Forms, form sets and model forms validate and render fields and widgets; a template language has tags, filters, inheritance and escaping. It also has users, groups, permissions and password hashing, an administration site, signals, caching, pagination, mail, management commands, serialization, static and stored files, content types, sitemaps and feeds, validators, translation, local formats and time zones, cryptographic signing, and helpers for texts, dates, HTML, HTTP headers and data structures.',
    dependencies: ['asgiref', 'sqlparse'],
  },
  pandas: {
    title: 'TableKit',
    text: 'A library for labelled tables and series. One- and two-dimensional structures have typed columns and indexes (plain, range, categorical, interval, date, period, duration, hierarchical) that align in arithmetic; they are selected and set by label, position and mask, cleaned of missing values (detect, fill, interpolate, drop), sorted, ranked, reindexed, deduplicated, and changed in shape (pivot, stack, melt, dummies, explode, cross tabulation, binning). They are concatenated, merged and joined, also in order and by nearest key; grouped, aggregated, transformed and filtered; rolled, expanded and weighted in windows; and resampled in time. Dates, durations, periods, frequencies, offsets and time zones have scalars, ranges and parsers; there are nullable, categorical, sparse, string and interval arrays, vectorized text and date accessors, evaluation of expressions, statistics, and readers and writers for delimited and fixed-width text, JSON and more.',
    dependencies: ['numpy', 'python-dateutil', 'pytz', 'tzdata'],
  },
  sympy: {
    title: 'SymbolicMath',
    text: 'A computer algebra system in plain Python. Expressions are trees of symbols with assumptions, exact and floating numbers, functions, relations, logic and sets; they are parsed, substituted, matched, expanded, factored, simplified and rewritten. It differentiates, integrates, sums, takes limits and series, transforms (Laplace, Fourier, Mellin), and evaluates to any precision; it solves equations, inequalities, recurrences, diophantine and differential equations, linear and polynomial systems. It has polynomials over many domains with factorization and Groebner bases, dense, sparse and symbolic matrices, tensors, number theory, combinatorics and finite groups, geometry, special functions, statistics with random variables, discrete transforms, vectors and differential geometry, crypto systems, category diagrams, and physics: mechanics, optics, quantum operators and states, units, control systems, beams and structures.',
    dependencies: ['mpmath'],
  },
  statsmodels: {
    title: 'StatModeler',
    text: 'A library for statistical models and tests. Models take arrays, tables or formulas and return results with parameters, covariances (robust and clustered ones too), tests, intervals, predictions and diagnostics: linear regression by ordinary, weighted, generalized, recursive and rolling least squares, quantile and robust regression, generalized linear, additive, estimating-equation and mixed models, discrete choice and counts (also zero-inflated and ordinal), duration models, generalized method of moments, treatment effects and multiple imputation. Time series: autoregressions, ARIMA, exponential smoothing, state space models, unobserved components, vector autoregressions and error correction, dynamic factors, Markov switching, filters, seasonal decomposition, forecasting, unit root and other tests. Also nonparametric density and regression, multivariate analysis, empirical likelihood, copulas and distributions, contingency tables, power and multiple testing, proportions and rates, influence and outliers, descriptive statistics and data tools.',
    dependencies: ['numpy', 'scipy', 'pandas', 'patsy', 'packaging'],
  },
  'scikit-learn': {
    title: 'MLKit-Py',
    text: 'A machine learning library on numeric arrays, dense and sparse. Every estimator is configured by its constructor, fits, predicts or transforms, and can be cloned, chained in pipelines and searched over. Supervised: linear and generalized linear models, discriminant analysis, kernel ridge, support vector machines, stochastic gradient descent, nearest neighbors, Gaussian processes, cross decomposition, naive Bayes, decision trees, forests, boosting, voting and stacking, multiclass and multioutput wrappers, feature selection, semi-supervised learning, isotonic regression, calibration and perceptrons. Unsupervised: mixtures, manifold learning, clustering, biclustering, matrix factorization, covariance, outlier detection, density estimation. Also splitters, cross-validation, parameter searches, validation and learning curves, metrics and pairwise distances and kernels, inspection, feature extraction from texts, dictionaries and images, preprocessing, encoding, imputation, random projection, kernel approximation, composition over columns, synthetic data sets, and helpers that validate input.',
    dependencies: ['numpy', 'scipy', 'joblib', 'threadpoolctl'],
  },
  textkit: {
    title: 'ProseMeter',
    text: 'A small text statistics library in plain Python. It tokenizes text (whitespace, accents, words, sentences, paragraphs, stopwords, stems, n-grams, identifiers); measures it (word frequencies, lexical diversity, entropy, syllables, averages, readability formulas); compares texts (edit distance, overlap of words and of characters, cosine, common subsequence and substring, Jaro, closest match, similarity matrix); and formats and summarizes it (wrapping, truncation, aligned columns, slugs, titles, plurals, lists, histograms, keywords, summaries).',
    dependencies: [],
  },
};
