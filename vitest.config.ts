import { defineConfig } from 'vitest/config';

// Style sheets are emptied unless they are named here; ours are text of an exported page.
const common = { testTimeout: 20_000, hookTimeout: 60_000, pool: 'forks', css: { include: /\.css\?raw$/ } } as const;

/**
 * Two kinds of test: `parts` run against the source, several at a time; `program` drive the built program in a pty, one file after the
 * other, because they measure time and share the machine with real terminals. The program is built first when the source is newer.
 */
export default defineConfig({
  test: {
    projects: [
      {
        test: {
          ...common,
          name: 'parts',
          include: ['test/**/*.test.ts'],
          exclude: ['test/e2e/**'],
        },
      },
      {
        test: {
          ...common,
          name: 'program',
          include: ['test/e2e/**/*.test.ts'],
          globalSetup: ['scripts/build-if-older.mjs'],
          fileParallelism: false,
          testTimeout: 60_000,
        },
      },
    ],
  },
});
