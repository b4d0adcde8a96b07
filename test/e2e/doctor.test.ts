import { chmodSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { makeDemoStore } from '../../fixtures/stores/demo-store.ts';
import { readOutside } from '../../src/commands/doctor/outside.ts';
import type { Outside } from '../../src/commands/doctor/outside.ts';
import { contextOf, runDoctorOn } from '../support/doctor.ts';
import { startByteServer } from '../support/model-server.ts';
import { temporaryFolder } from '../support/temp-folder.ts';

const key = 'sk-the-key-of-this-test';

/** The world as it is, but for the variables. */
function realOutside(home: string, env: Record<string, string> = {}): Outside {
  const outside = readOutside(contextOf(home));
  const variables = { PATH: process.env['PATH'], TERM: 'xterm-256color', LANG: 'C.UTF-8', ...env };
  return { ...outside, facts: { ...outside.facts, env: variables } };
}

/** A home with a space and Hangul in its path, a store of two dozen sessions, and a model at `url`. */
function makeHome(url: string): string {
  const home = join(temporaryFolder(), '에르메스 집');
  mkdirSync(home, { mode: 0o700 });
  makeDemoStore(join(home, 'state.db'), join(home, 'work'), Date.now());
  const lines = [
    'model:',
    '  default: small',
    '  provider: custom:연구실',
    'custom_providers:',
    '  - name: 연구실',
    `    base_url: ${url}/v1`,
    '    key_env: LAB_KEY',
  ];
  writeFileSync(join(home, 'config.yaml'), `${lines.join('\n')}\n`, { mode: 0o600 });
  writeFileSync(join(home, '.env'), `LAB_KEY=${key}\n`, { mode: 0o600 });
  return home;
}

test('a home in order: exit code 0, one question to the endpoint, the key neither shown nor sent elsewhere, the store untouched', async () => {
  const server = await startByteServer((response) => {
    response.writeHead(200, { 'content-type': 'application/json' });
    response.end(JSON.stringify({ data: [{ id: 'small' }, { id: 'large' }] }));
  });
  onTestFinished(() => server.stop());
  const home = makeHome(server.url);
  const before = readFileSync(join(home, 'state.db'));
  const { code, out } = await runDoctorOn(home, realOutside(home));
  expect(out).not.toContain(key);
  expect(out).not.toMatch(/\n {2}x /);
  expect(code).toBe(0);
  expect(out).toContain('small of custom:연구실');
  expect(out).toContain('.env (LAB_KEY)');
  expect(server.requests.map(({ method, path }) => `${method} ${path}`)).toEqual(['GET /v1/models']);
  expect(server.requests[0]?.headers.authorization).toBe(`Bearer ${key}`);
  expect(readFileSync(join(home, 'state.db')).equals(before)).toBe(true);
});

test('everything broken at once: exit code 1, each named with what to try, no stack trace', async () => {
  const server = await startByteServer((response) => {
    response.writeHead(401, { 'content-type': 'application/json' });
    response.end(JSON.stringify({ error: { message: `Incorrect API key ${key}` } }));
  });
  onTestFinished(() => server.stop());
  const home = makeHome(server.url);
  writeFileSync(join(home, 'state.db'), 'x'.repeat(5000));
  writeFileSync(join(home, 'config.yaml'), `${readFileSync(join(home, 'config.yaml'), 'utf8')}tui:\n  colour: red\n`);
  const bin = join(home, 'bin');
  mkdirSync(bin);
  writeFileSync(join(bin, 'hermes'), '#!/bin/sh\n');
  chmodSync(join(bin, 'hermes'), 0o755);
  const { code, out } = await runDoctorOn(home, realOutside(home, { PATH: bin }));
  expect(code).toBe(1);
  expect(out).toContain('not an SQLite database');
  expect(out).toContain(`${join(home, 'config.yaml')}:9: tui.colour`);
  expect(out).toContain('refused the key from .env (LAB_KEY)');
  expect(out).toContain(join(bin, 'hermes'));
  expect(out).not.toContain(key);
  expect(out).not.toMatch(/^\s+at /m);
});

test('an endpoint that never answers is given up after 2 seconds', async () => {
  const server = await startByteServer(() => undefined);
  onTestFinished(() => server.stop());
  const home = makeHome(server.url);
  const startedAt = performance.now();
  const { code, out } = await runDoctorOn(home, realOutside(home));
  const passed = performance.now() - startedAt;
  expect(code).toBe(1);
  expect(out).toContain('could not be reached (timeout)');
  expect(passed).toBeGreaterThan(1900);
  expect(passed).toBeLessThan(10_000);
});
