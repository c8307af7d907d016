/** An import of the reference library in a task's test, so that the adapt step can bind its names to a candidate's symbols. */
interface TaskImport {
  /** Dotted module as written after slicing: `requests`, `requests.utils`. Always absolute. */
  module: string;
  /** The imported name; null for `import requests` and `import requests.adapters`. */
  name: string | null;
  /** The name it binds in the test file: `requests` for `import requests.adapters`, the alias where there is one. */
  local: string;
  /** Dotted reference paths the test reaches through this binding, as written: `requests.get`, `requests.utils.super_len`. */
  uses: string[];
}

/** A pytest fixture a task's functions ask for, directly or through another fixture. */
interface TaskFixture {
  name: string;
  /** `test_code` (defined there, sliced or a shim of ours), `pytest` (built in), else the plugin module to load: `pytest_httpbin.plugin`, `pytest_mock`. */
  provider: string;
}

/** How hard a task looks, by a formula over its text (`python/dataset/tasks.py`); never from timings. */
export type Difficulty = 'easy' | 'medium' | 'hard';

/** Where a task's test comes from in the pinned release. */
interface TaskSource {
  /** Path inside the release: `tests/test_utils.py`. */
  file: string;
  /** First and last line of each selected test function, decorators included, in file order. */
  lines: [number, number][];
  /** sha-256 of those lines as they stand in the release (UTF-8, joined by newlines). Never of re-printed code. */
  sha256: string;
}

/** One RepoCraft task: a capability and the tests that check it. Its canonical JSON is the blob the lock names. */
export interface RepocraftTask {
  id: string;
  project: string;
  /** Dotted path, rolled up to at least 3 tasks: `requests.cookies`. */
  category: string;
  /** The main symbol under test, without the category: `RequestsCookieJar`. */
  subcategory: string;
  /** What the capability is, in words, without names that give the project away. */
  description: string;
  /** The whole test file, self-contained: run it with pytest, `-c /dev/null`, no conftest. */
  test_code: string;
  /** Only imports of the reference; imports of the standard library and of dependencies stay as they are. */
  imports: TaskImport[];
  fixtures: TaskFixture[];
  /** Further files to put beside the test file: relative path → text. Mostly empty: helpers are sliced into `test_code`. */
  auxiliary_code: Record<string, string>;
  /** Node ids without the file: `test_hooks`, `TestSuperLen::test_string`. All must pass; parametrised cases are not listed one by one. */
  functions: string[];
  /** Reference symbols under test by place of definition, most important first: `requests.models.Request`, `requests.models.Request.prepare`. */
  targets: string[];
  /** Lines of `test_code` that are neither blank nor comment. */
  loc: number;
  difficulty: Difficulty;
  source: TaskSource;
  /** The seed of the dataset build that made it. */
  seed: number;
}
