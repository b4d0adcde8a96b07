import { defineConfig, globalIgnores } from 'eslint/config';
import tseslint from 'typescript-eslint';
import { hermes, hermesRules } from './scripts/lint/plugin.mjs';

/** Core rules about mistakes; those about undefined names are left to TypeScript. */
const mistakes = [
  'no-async-promise-executor',
  'no-case-declarations',
  'no-compare-neg-zero',
  'no-cond-assign',
  'no-constant-binary-expression',
  'no-debugger',
  'no-duplicate-case',
  'no-empty-character-class',
  'no-empty-pattern',
  'no-ex-assign',
  'no-fallthrough',
  'no-irregular-whitespace',
  'no-loss-of-precision',
  'no-misleading-character-class',
  'no-prototype-builtins',
  'no-regex-spaces',
  'no-self-assign',
  'no-self-compare',
  'no-shadow-restricted-names',
  'no-sparse-arrays',
  'no-template-curly-in-string',
  'no-unsafe-finally',
  'no-unsafe-optional-chaining',
  'no-unused-private-class-members',
  'no-useless-catch',
  'no-useless-escape',
  'no-var',
  'prefer-const',
  'prefer-rest-params',
  'prefer-spread',
  'use-isnan',
  'valid-typeof',
];

const erasableOnly = (selector, message) => ({ selector, message: `${message}: Node and esbuild must be able to erase every type` });

export default defineConfig([
  globalIgnores(['dist/', 'coverage/', 'node_modules/']),
  tseslint.configs.recommended,
  {
    files: ['**/*.{ts,js,mjs}'],
    plugins: { hermes },
    linterOptions: { reportUnusedDisableDirectives: 'error' },
    rules: {
      ...hermesRules,
      ...Object.fromEntries(mistakes.map((name) => [name, 'error'])),
      eqeqeq: 'error',
      'max-lines': ['error', { max: 500, skipComments: true, skipBlankLines: true }],
      // A catch that tolerates something says what and why; a comment counts, an empty block doesn't.
      'no-empty': ['error', { allowEmptyCatch: false }],
      'no-restricted-syntax': [
        'error',
        erasableOnly('TSEnumDeclaration', 'No enum (use a union of strings)'),
        erasableOnly('TSModuleDeclaration[declare!=true]', 'No namespace'),
        erasableOnly('TSParameterProperty', 'No parameter property'),
      ],
      '@typescript-eslint/consistent-type-imports': ['error', { disallowTypeAnnotations: false }],
      '@typescript-eslint/no-unused-vars': ['error', { argsIgnorePattern: '^_', varsIgnorePattern: '^_', ignoreRestSiblings: true }],
    },
  },
  {
    // A table of cases may be long.
    files: ['test/**/*.ts'],
    rules: { 'max-lines': ['error', { max: 1000, skipComments: true, skipBlankLines: true }] },
  },
  {
    // With types: only where a forgotten await would lose something.
    files: ['src/**/*.ts'],
    languageOptions: { parserOptions: { projectService: true, tsconfigRootDir: import.meta.dirname } },
    rules: {
      '@typescript-eslint/await-thenable': 'error',
      '@typescript-eslint/no-floating-promises': 'error',
      '@typescript-eslint/no-misused-promises': 'error',
      '@typescript-eslint/only-throw-error': 'error',
      '@typescript-eslint/switch-exhaustiveness-check': ['error', { considerDefaultExhaustiveForUnions: true }],
    },
  },
]);
