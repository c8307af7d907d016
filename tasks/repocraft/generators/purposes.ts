import { DomainFailure } from '../../../src/domain/failure/domain-failure.js';
import type { StageContext } from '../../../src/suite/stage.js';

/** What a system is told about the repository it has to write; never the real project's name. */
export interface Purpose {
  /** The paraphrased name RPG-ZeroRepo uses. */
  title: string;
  /** What the library is for, in our words: at most 60, and no list of what its taxonomy asks for. */
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
    text: 'A library with which Python programs talk to web servers. One call asks a server for something and hands back an object that says what came of it. People who never read the standard must get it right by default: secure, predictable, with readable failures; people who know it well can change every step, remember visitors, and bring transports.',
    dependencies: ['urllib3', 'idna', 'certifi', 'charset-normalizer'],
  },
  django: {
    title: 'PyWebEngine',
    text: 'A framework for building database-backed web sites quickly, from prototypes to large newsrooms. Developers declare what their data look like and get storage, pages, editing by staff and accounts of visitors with little code of their own; common attacks are prevented unless asked for. Every part can be replaced, tested without a server, and extended by installed components.',
    dependencies: ['asgiref', 'sqlparse'],
  },
  pandas: {
    title: 'TableKit',
    text: 'A library for analysts who work with labelled tables and ordered observations in memory. It brings ragged, incomplete records into shape, lines them up by their labels, summarizes and reshapes them, deals with dates and gaps, and exchanges them in usual formats. Operations work on whole columns at once, keep types where they can, and say what they cannot do.',
    dependencies: ['numpy', 'python-dateutil', 'pytz', 'tzdata'],
  },
  sympy: {
    title: 'SymbolicMath',
    text: 'A computer algebra library in plain Python. Formulas are objects that people build from unknowns, numbers and functions, and that the library manipulates exactly as a mathematician would on paper: it rewrites, solves, derives and proves small facts, to any number of digits where figures are wanted. It serves teaching and engineering, and is extended by new kinds of objects.',
    dependencies: ['mpmath'],
  },
  statsmodels: {
    title: 'StatModeler',
    text: 'A library with which researchers estimate statistical models and judge them. They describe what explains what, by arrays or by a formula, and get estimates with their uncertainty, tests of assumptions and forecasts that agree with the textbooks of econometrics and biostatistics. It covers cross sections, panels and observations over time, and reports results in tables fit for print.',
    dependencies: ['numpy', 'scipy', 'pandas', 'patsy', 'packaging'],
  },
  'scikit-learn': {
    title: 'MLKit-Py',
    text: 'A library for learning from data in Python. Users hand over arrays and get objects that learn, predict and transform, all with the same few methods, so that they can be chained, compared, validated and exchanged for one another. It covers what practitioners need between raw measurements and a trustworthy prediction, in well-documented classical algorithms rather than deep learning.',
    dependencies: ['numpy', 'scipy', 'joblib', 'threadpoolctl'],
  },
  textkit: {
    title: 'ProseMeter',
    text: 'A small library in plain Python for people who study or prepare English prose. It takes texts apart, counts and rates what is in them, tells how alike two of them are, and lays them out for reading: fit to a width, in columns, with headings and short digests. Everything is a function without state; results are the same everywhere.',
    dependencies: [],
  },
};
