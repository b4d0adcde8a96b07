#!/usr/bin/env node
/**
 * Writes docs/commands.md and docs/keys.md from `src/commands/table.ts`; `--check` compares instead and fails when one is out of date.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { root } from './fresh.mjs';
import { importSource } from './import-source.mjs';

const notice = '<!-- Made by `npm run docs` from src/commands/table.ts; edit the table, not this file. -->';

/** What a scope is called where people read it, in the order of the page. */
const scopeTitles = {
  global: 'Everywhere',
  chat: 'Chat',
  'empty-line': 'On an empty line',
  'empty-filter': 'While the filter is empty',
  field: 'In every line of text',
  list: 'In every list',
  picker: 'In the sessions picker',
  search: 'In the search',
  look: 'In a conversation opened from the search',
  reading: 'In reading mode',
  find: 'In the find line',
  dialog: 'In a dialog',
  insights: 'In insights',
};

const keyNames = { pageup: 'PgUp', pagedown: 'PgDn', escape: 'Esc', up: '↑', down: '↓', left: '←', right: '→' };

/** `ctrl+shift+left` → `Ctrl+Shift+←`; a letter alone is typed text and stays as it is. */
export function writeKey(key) {
  if (key.length === 1) return key;
  return key
    .split('+')
    .map((part) => keyNames[part] ?? part.charAt(0).toUpperCase() + part.slice(1))
    .join('+');
}

const cell = (text) => text.replaceAll('|', '\\|');
const code = (text) => `\`${text.replaceAll('`', "'").replaceAll('|', '\\|')}\``;

export function writeCommandsPage({ commands, shellSpecs, renderHelp }) {
  const shell = shellSpecs.map((spec) => `### hermes ${spec.shell}\n\n\`\`\`\n${renderHelp(spec.shell).trimEnd()}\n\`\`\`\n`);
  const slash = commands
    .filter((row) => row.slash !== undefined)
    .map((row) => {
      const args = (row.args ?? []).map((arg) => ` [${arg.name}]`).join('');
      const aliases = row.slash.slice(1).map((name) => code(`/${name}`));
      return `| ${code(`/${row.slash[0]}${args}`)} | ${cell(row.summary)} | ${aliases.join(' ')} |`;
    });
  return `# Commands

${notice}

## In the shell

\`\`\`
${renderHelp().trimEnd()}
\`\`\`

${shell.join('\n')}
## In a conversation

A line is a command when its first word is \`/\` and a name from this list, an alias or a unique beginning of one. Everything else is a message.

| command | what it does | also |
|---|---|---|
${slash.join('\n')}
`;
}

export function writeKeysPage({ commands }) {
  const scopes = Object.entries(scopeTitles).flatMap(([scope, title]) => {
    const rows = commands.filter((row) => row.keys?.[scope] !== undefined);
    if (rows.length === 0) return [];
    const lines = rows.map(
      (row) =>
        `| ${row.keys[scope].map((key) => code(writeKey(key))).join(' ')} | ${cell(row.name)} | ${cell(row.summary)} | ${code(row.id)} |`,
    );
    return [`## ${title}\n\n| key | action | what it does | id |\n|---|---|---|---|\n${lines.join('\n')}\n`];
  });
  const unknown = commands.flatMap((row) => Object.keys(row.keys ?? {})).filter((scope) => scopeTitles[scope] === undefined);
  if (unknown.length > 0) throw new Error(`scripts/docs.mjs has no title for the scope ${unknown[0]}`);
  return `# Keys

${notice}

F1, or \`?\` on an empty line, opens the help of a screen as a menu: every action below can be run from there, whatever a multiplexer or an input
method does with its key. Keys can be changed in \`config.yaml\` by id:

\`\`\`yaml
tui:
  keys:
    app.sessions: ctrl+o
\`\`\`

${scopes.join('\n')}`;
}

/** The pages by path below the project. */
export async function makePages() {
  const source = await importSource(['src/commands/table.ts', 'src/commands/parse.ts', 'src/commands/help.ts']);
  return { 'docs/commands.md': writeCommandsPage(source), 'docs/keys.md': writeKeysPage(source) };
}

if (process.argv[1] === import.meta.filename) {
  const isCheck = process.argv.includes('--check');
  for (const [name, text] of Object.entries(await makePages())) {
    const file = path.join(root, name);
    if (!isCheck) {
      writeFileSync(file, text);
      continue;
    }
    let standing = '';
    try {
      standing = readFileSync(file, 'utf8');
    } catch (error) {
      if (error.code !== 'ENOENT') throw error;
    }
    if (standing === text) continue;
    process.stderr.write(`${name} is not what src/commands/table.ts says: run \`npm run docs\` and commit it\n`);
    process.exitCode = 1;
  }
}
