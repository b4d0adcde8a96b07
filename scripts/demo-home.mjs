/** The throw-away home of the demo and of the pictures: folders and repositories, as the conversations remember them, and a config. */
import { spawnSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';

const files = {
  'code/shop': {
    'package.json': '{ "name": "shop" }\n',
    'src/auth.ts': 'export async function login(name: string) {}\n',
    'README.md': '# shop\n',
  },
  'code/shop-mobile': { 'package.json': '{ "name": "shop-mobile" }\n', 'src/cart.ts': 'export const cart = [];\n' },
  'code/infra': { 'main.tf': 'terraform {}\n' },
  notes: { 'caching.md': 'Cache the answer, not the object.\n' },
};

/** @param {string} folder where the folders are made; those of `code/` are git repositories */
export function makeFolders(folder) {
  for (const [name, contents] of Object.entries(files)) {
    for (const [file, text] of Object.entries(contents)) {
      const target = path.join(folder, name, file);
      mkdirSync(path.dirname(target), { recursive: true });
      writeFileSync(target, text);
    }
    if (!name.startsWith('code/')) continue;
    const git = (...args) => spawnSync('git', args, { cwd: path.join(folder, name), stdio: 'ignore' });
    git('init', '-q', '-b', 'main');
    git('add', '.');
    git('-c', 'user.name=Ann', '-c', 'user.email=ann@example.org', 'commit', '-qm', 'Begin');
  }
}

/** @param {string} modelUrl base_url of the model that answers */
export function writeConfig(home, modelUrl) {
  const lines = [
    'model:',
    '  default: demo',
    '  provider: custom:demo',
    'custom_providers:',
    '  - name: demo',
    `    base_url: ${modelUrl}`,
    '    api_key: demo',
    '    model: demo',
  ];
  writeFileSync(path.join(home, 'config.yaml'), `${lines.join('\n')}\n`, { mode: 0o600 });
}
