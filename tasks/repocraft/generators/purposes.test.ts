import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { systemSpec } from '../../../src/fakes/suite-bench.js';
import { readTaxonomy } from '../coverage/taxonomy.js';
import { readProjectSettings, BENCHMARK_PROJECTS } from '../dataset/project-settings.js';
import { namingOf, PROJECT_NAMES } from './project-names.js';
import { purposeOf } from './purposes.js';
import { leavesTold } from '../coverage/leaves-told.js';

const SUITE = fileURLToPath(new URL('..', import.meta.url));
const purpose = (scope: string) => purposeOf({ scope, system: systemSpec({ id: 's', generator: 'zerorepo' }) });

describe('leavesTold', () => {
  it('finds a leaf whose words all stand in a text, in whatever form and order', () => {
    const leaves = ['Cookie Handling', 'Event Hooks', 'SVC', 'Permissions & Groups', 'Merge'];
    expect(leavesTold('It handles cookies, and hooks of events; groups get permissions.', leaves)).toEqual([
      ...['Cookie Handling', 'Event Hooks', 'Permissions & Groups'],
    ]);
    expect(leavesTold('Merges tables.', leaves)).toEqual(['Merge']);
    expect(leavesTold('A library.', leaves)).toEqual([]);
  });
});

it.each([...BENCHMARK_PROJECTS, 'textkit'])('%s: the purpose is a paraphrase of at most 60 words', async (project) => {
  const { text, title } = purpose(project);
  expect(text.split(/\s+/).length).toBeLessThanOrEqual(60);
  expect(`${title} ${text}`.toLowerCase()).not.toContain(project);
  expect(namingOf(project, `${title}: ${text}`)).toBeNull();
  const { leaves } = (await readTaxonomy(SUITE, project))!;
  expect(leavesTold(text, leaves).length / leaves.length).toBeLessThanOrEqual(0.1);
});

describe('a purpose that names its project', () => {
  it.each([
    ['django', 'A Django-like framework for web sites.', 'Django'],
    ['django', 'Sites, as with django_rest or DJANGO 5.', 'django'],
    ['pandas', 'Tables the way pandas has them.', 'pandas'],
    ['pandas', 'A clone of \u{ff50}\u{ff41}\u{ff4e}\u{ff44}\u{ff41}\u{ff53}.', 'pandas'],
    ['sympy', 'What Sym\u{200b}Py does.', 'SymPy'],
    ['scikit-learn', 'Learning, as in scikit learn.', 'scikit learn'],
    ['scikit-learn', 'The API of `sklearn.base`.', 'sklearn'],
    ['scikit-learn', 'Scikit_Learn anew', 'Scikit_Learn'],
    ['statsmodels', 'statsmodels', 'statsmodels'],
    ['textkit', 'TextKit in plain Python.', 'TextKit'],
  ])('%s: %s', (project, text, name) => {
    expect(namingOf(project, text)).toBe(name);
  });

  it('is none where its name is part of a longer word, or another project’s', () => {
    expect(namingOf('pandas', 'geopandas and expandas')).toBeNull();
    expect(namingOf('statsmodels', 'Takes tables of pandas.')).toBeNull();
    expect(namingOf('scikit-learn', 'A kit with which programs learn.')).toBeNull();
    expect(namingOf('nobody', 'requests')).toBeNull();
  });

  // A common word is a name only where it stands as one.
  it.each([
    ['Send it with `requests`.', '`requests'],
    ['An alternative to "requests" for programs.', '"requests'],
    ['The friendly Requests, rewritten.', 'Requests'],
    ['Offers requests.get and its kin.', 'requests.get'],
    ['import requests, without the rest', 'import requests'],
    ['pip install requests, but smaller', 'install requests'],
    ['Like requests, for people.', 'Like requests'],
    ['A clone of requests.', 'clone of requests'],
    ['A successor named requests.', 'named requests'],
    ['The requests library, again.', 'requests library'],
    ['A requests-like client.', 'requests-like'],
    ['Programs that know python-requests.', 'python-requests'],
    ['Requests: HTTP for humans.', 'Requests:'],
    ['Requests is a client of the web.', 'Requests is'],
  ])('requests: %s', (text, said) => {
    expect(namingOf('requests', text)).toBe(said);
  });

  it.each([
    'A library that sends HTTP requests and reads their answers.',
    'Requests are retried. Requests may be signed; requests without a host are refused.',
    'It handles requests. get and post are short for them.',
    'One call requests a page.\n- Requests carry headers.',
    'A client prepares a request, and requests’ order is kept.',
    'It keeps what it requests.',
  ])('requests, as plain English: %s', (text) => {
    expect(namingOf('requests', text)).toBeNull();
  });

  it.each([...BENCHMARK_PROJECTS, 'textkit'])('%s: distribution and package are known names', async (project) => {
    const { pin, settings } = await readProjectSettings(project, SUITE);
    for (const name of [pin.name, settings.package]) expect(PROJECT_NAMES[project]?.names).toContain(name);
  });
});
