import tseslint from 'typescript-eslint';

const ENVIRONMENT = {
  selector: "MemberExpression[object.name='process'][property.name='env']",
  message: 'Only src/config/env.ts reads the environment.',
};
const RECORDS = {
  selector: "MemberExpression[property.name='records'], ObjectPattern > Property[key.name='records']",
  message: 'Commands call functions of src/client, which read and change the records.',
};

export default tseslint.config(
  {
    ignores: [
      'dist/**',
      'node_modules/**',
      '.durabench/**',
      'tasks/*/dataset/tasks/**',
      '**/*.cjs',
      'bin/**',
      'packaging/**',
      'eslint.config.js',
      '**/*.mjs',
    ],
  },
  ...tseslint.configs.recommendedTypeChecked,
  {
    languageOptions: { parserOptions: { project: './tsconfig.json', tsconfigRootDir: import.meta.dirname } },
    rules: {
      '@typescript-eslint/no-explicit-any': 'error',
      '@typescript-eslint/no-floating-promises': 'error',
      '@typescript-eslint/consistent-type-imports': 'error',
      '@typescript-eslint/switch-exhaustiveness-check': 'error',
      '@typescript-eslint/no-unused-vars': ['error', { argsIgnorePattern: '^_' }],
      // Ports are async whether or not an adapter needs to wait.
      '@typescript-eslint/require-await': 'off',
      'no-restricted-exports': ['error', { restrictDefaultExports: { direct: true } }],
      'no-restricted-syntax': ['error', ENVIRONMENT],
    },
  },
  { files: ['src/cli/**'], rules: { 'no-restricted-syntax': ['error', ENVIRONMENT, RECORDS] } },
  { files: ['src/config/env.ts', 'tests/**', 'bench/**', '**/*.test.ts'], rules: { 'no-restricted-syntax': 'off' } },
  {
    // The runner waits for its tests.
    files: ['examples/**/*.test.ts'],
    rules: {
      '@typescript-eslint/no-floating-promises': [
        'error',
        { allowForKnownSafeCalls: [{ from: 'package', name: 'test', package: 'node:test' }] },
      ],
    },
  },
  { files: ['vitest.config.ts', 'tests/**', '**/*.test.ts'], rules: { 'no-restricted-exports': 'off' } },
);
