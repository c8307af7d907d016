/** Reads a variable of the environment; undefined when it is not set. */
type Variable = (name: string) => string | undefined;

/** What any program needs. */
const ANY = ['PATH', 'HOME', 'USER', 'LANG', 'LC_ALL', 'LC_CTYPE', 'TZ', 'TMPDIR', 'LD_LIBRARY_PATH'];

/** Proxies, in the spellings programs look for. */
const PROXIES = ['HTTP_PROXY', 'HTTPS_PROXY', 'ALL_PROXY', 'NO_PROXY'].flatMap((name) => [name, name.toLowerCase()]);

/** Where the Python package index is, for pip wherever it runs. */
const INDEX = ['PIP_INDEX_URL', 'PIP_EXTRA_INDEX_URL', 'PIP_TRUSTED_HOST', ...PROXIES];

/** What else says how a program of this machine downloads: options, files and tools that are only here. */
const HERE = [
  ...[
    'PIP_CONFIG_FILE',
    'PIP_FIND_LINKS',
    'PIP_NO_INDEX',
    'PIP_PROXY',
    'PIP_CERT',
    'PIP_CLIENT_CERT',
    'PIP_USE_FEATURE',
  ],
  ...['PIP_DEFAULT_TIMEOUT', 'PIP_TIMEOUT', 'PIP_RETRIES', 'PIP_KEYRING_PROVIDER', 'PIP_CACHE_DIR', 'PIP_NO_CACHE_DIR'],
  ...['PIP_USE_DEPRECATED', 'PIP_REQUIRE_VIRTUALENV', 'PIP_BREAK_SYSTEM_PACKAGES', 'NETRC', 'APT_CONFIG'],
  ...['NPM_CONFIG_REGISTRY', 'npm_config_registry', 'NPM_CONFIG_USERCONFIG', 'npm_config_userconfig'],
  ...['GOPROXY', 'GOSUMDB', 'GONOSUMDB'],
  ...['NODE_EXTRA_CA_CERTS', 'SSL_CERT_FILE', 'SSL_CERT_DIR', 'REQUESTS_CA_BUNDLE', 'CURL_CA_BUNDLE'],
  ...['XDG_CONFIG_HOME', 'XDG_CONFIG_DIRS', 'XDG_CACHE_HOME', 'VIRTUAL_ENV', 'PYENV_ROOT', 'PYENV_VERSION'],
];

/** Names of all that says how a program of this machine downloads: index, proxies, certificates. */
export const DOWNLOAD_NAMES: readonly string[] = [...INDEX, ...HERE];

/** Of the environment what any program needs: for one that is not ours and has no business with keys. */
export const plainVariables = (variable: Variable): Record<string, string> => named(ANY, variable);

/** The same and what a program of this machine needs to download: index, proxies, certificates. */
export const downloadVariables = (variable: Variable): Record<string, string> =>
  named([...ANY, ...DOWNLOAD_NAMES], variable);

/** Of the environment what tells the pip of a container where the index is; all else that pip reads names files of the host. */
export const indexVariables = (variable: Variable): Record<string, string> => named(INDEX, variable);

function named(names: readonly string[], variable: Variable): Record<string, string> {
  const pairs = names.map((name) => [name, variable(name)] as const);
  return Object.fromEntries(pairs.filter((pair): pair is [string, string] => pair[1] !== undefined));
}
