#!/usr/bin/env node
/**
 * Pictures of the screens in a real xterm on a private X server: `node scripts/screens.mjs [--only chat,picker] [--size 80x24,200x50]
 * [--look dark,light,dark-16,none,wide] [--out FOLDER]`. Without --only every scene is taken, without --look dark and light. They go to a
 * temporary folder, whose path is the last line; nothing of it belongs in the repository.
 */
import { spawn, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { makeFolders, writeConfig } from './demo-home.mjs';
import { buildIfOlder, root } from './fresh.mjs';
import { importSource } from './import-source.mjs';
import { looks, scenes } from './screens/scenes.mjs';

const programs = { Xvfb: 'xvfb', xterm: 'xterm', xdotool: 'xdotool', import: 'imagemagick' };
const fonts = { 'DejaVu Sans Mono': 'fonts-dejavu-core', 'Noto Sans Mono CJK KR': 'fonts-noto-cjk' };
const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

function demandPrograms() {
  const find = (name) => spawnSync('which', [name]).status === 0;
  const missing = Object.keys(programs).filter((name) => !find(name));
  const packages = missing.map((name) => programs[name]);
  for (const [font, name] of Object.entries(fonts)) {
    if (spawnSync('fc-list', [font], { encoding: 'utf8' }).stdout?.trim()) continue;
    missing.push(font);
    packages.push(name);
  }
  if (missing.length > 0)
    throw new Error(`missing: ${missing.join(', ')}. On Debian: apt-get install --no-install-recommends ${packages.join(' ')}`);
}

/** Resolves with the display once the server listens. */
async function startServer() {
  const server = spawn('Xvfb', ['-displayfd', '3', '-screen', '0', '2600x1700x24', '-nolisten', 'tcp'], {
    stdio: ['ignore', 'ignore', 'ignore', 'pipe'],
  });
  const number = await new Promise((resolve, reject) => {
    server.stdio[3].once('data', (bytes) => resolve(String(bytes).trim()));
    server.once('exit', () => reject(new Error('Xvfb ended before it listened')));
  });
  return { display: `:${number}`, stop: () => server.kill() };
}

/** A window that runs the program; `title` finds it. */
function openWindow({ display, folder, home, args, cwd, look, size, title, place = '+0+0', env }) {
  const clean = { PATH: process.env.PATH, LANG: 'C.UTF-8', LC_ALL: 'C.UTF-8', DISPLAY: display, HOME: folder, HERMES_HOME: home };
  const child = spawn(
    'xterm',
    [
      ...['-u8', '-fa', 'DejaVu Sans Mono', '-fd', 'Noto Sans Mono CJK KR', '-fs', '12', '-b', '0'],
      ...['-bg', look.ground, '-fg', look.ink, '-geometry', `${size}${place}`, '-title', title, ...(look.xterm ?? [])],
      // xterm takes COLORTERM away from what it starts.
      ...['-tn', look.term ?? 'xterm-256color', '-e', 'env', ...(look.term === undefined ? ['COLORTERM=truecolor'] : [])],
      ...[process.execPath, path.join(root, 'bin/hermes'), ...args],
    ],
    { cwd, env: { ...clean, ...look.env, ...env }, stdio: 'ignore' },
  );
  return { stop: () => child.kill() };
}

async function windowNamed(display, title) {
  for (let tries = 0; tries < 200; tries++) {
    const found = spawnSync('xdotool', ['search', '--name', `^${title}$`], { env: { ...process.env, DISPLAY: display }, encoding: 'utf8' });
    const id = found.stdout.trim().split('\n')[0];
    if (id) return id;
    await pause(100);
  }
  throw new Error(`no window ${title}`);
}

/** `type TEXT`, `key NAME…` (as xdotool names them), `wait MS`. */
async function runSteps(display, window, steps) {
  const tool = (...args) => spawnSync('xdotool', args, { env: { ...process.env, DISPLAY: display } });
  tool('windowfocus', window);
  for (const step of steps) {
    const [verb, ...words] = step.split(' ');
    if (verb === 'wait') await pause(Number(words[0]));
    else if (verb === 'type') tool('type', '--delay', '15', '--', words.join(' '));
    else tool('key', '--delay', '40', ...words);
    await pause(350);
  }
}

async function takePicture(scene, { display, size, look, lookName, out, source, model }) {
  const folder = mkdtempSync(path.join(tmpdir(), 'hermes-screens-'));
  const windows = [];
  try {
    const home = path.join(folder, 'home');
    mkdirSync(home, { mode: 0o700 });
    makeFolders(folder);
    if (scene.home === 'demo') {
      source.makeDemoStore(path.join(home, 'state.db'), folder, Date.now());
      writeConfig(home, model.url);
    }
    for (const [file, text] of Object.entries(scene.files ?? {})) writeFileSync(path.join(home, file), text);
    if (scene.gone !== undefined) rmSync(path.join(folder, scene.gone), { recursive: true });
    const cwd = path.join(folder, scene.cwd ?? 'code/shop');
    const common = { display, folder, home, cwd, look, env: scene.env };
    if (scene.holder !== undefined) {
      windows.push(openWindow({ ...common, args: scene.holder, size: '60x20', place: '+0+1250', title: 'holder' }));
      await pause(1500);
    }
    const title = `hermes-picture-${process.pid}-${windows.length}`;
    windows.push(openWindow({ ...common, args: scene.args ?? [], size, title }));
    const window = await windowNamed(display, title);
    await pause(scene.start ?? 1500);
    await runSteps(display, window, scene.steps ?? []);
    const file = path.join(out, `${scene.name}-${lookName}-${size}.png`);
    spawnSync('import', ['-window', window, file], { env: { ...process.env, DISPLAY: display } });
    process.stdout.write(`${file}\n`);
  } finally {
    for (const window of windows) window.stop();
    await pause(250);
    rmSync(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 });
  }
}

const { values } = parseArgs({
  options: {
    only: { type: 'string' },
    size: { type: 'string', default: '80x24,200x50' },
    look: { type: 'string', default: 'dark,light' },
    out: { type: 'string' },
  },
});
const list = (text) => text.split(',').filter((part) => part !== '');
const unknown = (names, known) => names.filter((name) => !known.includes(name));
let server;
let model;
try {
  demandPrograms();
  const names = values.only === undefined ? scenes.map((scene) => scene.name) : list(values.only);
  const wrong = [
    ...unknown(
      names,
      scenes.map((scene) => scene.name),
    ),
    ...unknown(list(values.look), Object.keys(looks)),
  ];
  if (wrong.length > 0)
    throw new Error(
      `unknown: ${wrong.join(', ')}. Scenes: ${scenes.map((scene) => scene.name).join(' ')}. Looks: ${Object.keys(looks).join(' ')}`,
    );
  buildIfOlder();
  const source = await importSource(['fixtures/stores/demo-store.ts', 'scripts/demo-model.ts']);
  const out = values.out ?? mkdtempSync(path.join(tmpdir(), 'hermes-pictures-'));
  mkdirSync(out, { recursive: true });
  model = await source.startDemoModel();
  server = await startServer();
  for (const scene of scenes.filter(({ name }) => names.includes(name))) {
    for (const lookName of list(values.look)) {
      for (const size of list(values.size)) {
        await takePicture(scene, { display: server.display, size, look: looks[lookName], lookName, out, source, model });
      }
    }
  }
  process.stdout.write(`${out}\n`);
} catch (error) {
  process.stderr.write(`screens: ${error.message}\n`);
  process.exitCode = 1;
} finally {
  server?.stop();
  await model?.stop();
}
