const NAMES = ['PIP_INDEX_URL', 'PIP_EXTRA_INDEX_URL', 'PIP_TRUSTED_HOST', 'HTTP_PROXY', 'HTTPS_PROXY', 'NO_PROXY'];

/** The user's variables that say where the package index is; all else that pip reads names files of the host. */
export function pipVariables(variable: (name: string) => string | undefined): Record<string, string> {
  const spellings = NAMES.flatMap((name) => (name.endsWith('_PROXY') ? [name, name.toLowerCase()] : [name]));
  return Object.fromEntries(
    spellings.flatMap((name) => {
      const value = variable(name);
      return value === undefined ? [] : [[name, value] as const];
    }),
  );
}
