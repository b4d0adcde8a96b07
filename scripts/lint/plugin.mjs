/** ESLint rules of this project. Each message says what to do instead. */
import path from 'node:path';
import { judgeImport, judgePackage } from './walls.mjs';

/** Path below `src` with forward slashes, or undefined for files elsewhere. */
function pathBelowSource(context) {
  const parts = path.relative(context.cwd, context.filename).split(path.sep);
  return parts[0] === 'src' ? parts.slice(1).join('/') : undefined;
}

const importWalls = {
  meta: { type: 'problem', schema: [] },
  create(context) {
    const from = pathBelowSource(context);
    if (from === undefined) return {};
    const check = (source, isTypeOnly) => {
      if (source?.type !== 'Literal' || typeof source.value !== 'string') return;
      const name = source.value;
      const target = path.posix.join(path.posix.dirname(from), name);
      let message;
      if (!name.startsWith('.')) message = isTypeOnly ? undefined : judgePackage(from, name);
      else if (!target.startsWith('..')) message = judgeImport(from, target, isTypeOnly);
      if (message !== undefined) context.report({ node: source, message });
    };
    const isTypeOnly = (node) =>
      node.importKind === 'type' ||
      node.exportKind === 'type' ||
      (node.specifiers?.length > 0 &&
        node.specifiers.every((specifier) => specifier.importKind === 'type' || specifier.exportKind === 'type'));
    return {
      ImportDeclaration: (node) => check(node.source, isTypeOnly(node)),
      ExportNamedDeclaration: (node) => check(node.source, isTypeOnly(node)),
      ExportAllDeclaration: (node) => check(node.source, isTypeOnly(node)),
      ImportExpression: (node) => check(node.source, false),
      TSImportType: (node) => check(node.source ?? node.argument?.literal, true),
    };
  },
};

/** A rule about one member of `process`, however it is reached. */
function processMember(member, homes, message) {
  return {
    meta: { type: 'problem', schema: [] },
    create(context) {
      const from = pathBelowSource(context);
      if (from === undefined || homes.some((home) => from.startsWith(home))) return {};
      const report = (node) => context.report({ node, message });
      return {
        [`MemberExpression[object.name='process'][property.name='${member}']`]: report,
        [`MemberExpression[object.name='process'][property.value='${member}']`]: report,
        [`VariableDeclarator[init.name='process'] > ObjectPattern > Property[key.name='${member}']`]: report,
        [`ImportDeclaration[source.value=/^(node:)?process$/] ImportSpecifier[imported.name='${member}']`]: report,
      };
    },
  };
}

/** Upper-case keywords at the beginning of a text: how every statement of this project is written, and no English sentence is. */
const sqlStart =
  /^\s*(?:WITH\s+(?:RECURSIVE\s+)?\w+.*\bAS\s*\(|SELECT\s|INSERT\s+(?:OR\s+\w+\s+)?INTO\s|REPLACE\s+INTO\s|UPDATE\s+\S+\s+SET\s|DELETE\s+FROM\s|(?:CREATE|DROP)\s+(?:UNIQUE\s+|VIRTUAL\s+|TEMP\s+)?(?:TABLE|INDEX|VIEW|TRIGGER)\s|ALTER\s+TABLE\s|PRAGMA\s+\w|BEGIN\s+(?:IMMEDIATE|EXCLUSIVE)|ATTACH\s|VACUUM\b)/;

const sqlOnlyInStore = {
  meta: { type: 'problem', schema: [] },
  create(context) {
    const from = pathBelowSource(context);
    if (from === undefined || from.startsWith('store/')) return {};
    const check = (node, text) => {
      if (sqlStart.test(text))
        context.report({ node, message: 'SQL stands in src/store only: name the question as a function there and call it' });
    };
    return {
      Literal: (node) => typeof node.value === 'string' && check(node, node.value),
      TemplateLiteral: (node) => check(node, node.quasis.map((part) => part.value.cooked ?? '').join('x')),
    };
  },
};

const injectedClock = {
  meta: { type: 'problem', schema: [] },
  create(context) {
    const from = pathBelowSource(context);
    // A function can't cross into a thread: the workers are handed an offset to this machine's clock instead.
    if (from === undefined || from === 'main.ts' || from.startsWith('app/') || from.startsWith('store/worker/')) return {};
    const message = 'The clock is injected: take `now: () => number` from the caller, so that a test can set the time';
    const isNow = "MemberExpression[object.name='Date'][property.name='now']";
    return {
      // As a default for an injected clock it is fine: `now = Date.now`, `options.now ?? Date.now`.
      [`CallExpression > ${isNow}.callee`]: (node) => context.report({ node, message }),
      "NewExpression[callee.name='Date'][arguments.length=0]": (node) => context.report({ node, message }),
    };
  },
};

const kebabCaseFiles = {
  meta: { type: 'suggestion', schema: [] },
  create(context) {
    return {
      Program(node) {
        const name = path.basename(context.filename);
        if (!/^[a-z0-9]+(?:-[a-z0-9]+)*(?:\.[a-z0-9-]+)*\.[cm]?[jt]s$/.test(name))
          context.report({ node, message: `${name}: files are named in kebab-case` });
      },
    };
  },
};

const plainNames = {
  meta: { type: 'suggestion', schema: [] },
  create(context) {
    // Declarations for somebody else's code carry that code's names.
    if (context.filename.endsWith('.d.ts')) return {};
    const report = (node, message) => context.report({ node, message });
    return {
      'ClassDeclaration[id.name=/(Manager|Helper|Utils?|Service)$/]': (node) =>
        report(node, 'Name it after what it is: no Manager, Helper, Utils, Service'),
      'TSInterfaceDeclaration[id.name=/^I[A-Z][a-z]/]': (node) => report(node, 'An interface carries the plain noun, no I in front'),
      'PropertyDefinition[key.name=/^_/], MethodDefinition[key.name=/^_/]': (node) => report(node, 'No underscore in front: use #name'),
    };
  },
};

export const hermes = {
  meta: { name: 'hermes' },
  rules: {
    'import-walls': importWalls,
    'env-at-the-edge': processMember(
      'env',
      ['config/', 'terminal/'],
      'process.env is read in config/ and terminal/ only: take the value as an argument',
    ),
    'exit-in-main': processMember('exit', ['main.ts'], 'Only main.ts ends the process: return an exit code or throw one of src/errors.ts'),
    'sql-only-in-store': sqlOnlyInStore,
    'injected-clock': injectedClock,
    'kebab-case-files': kebabCaseFiles,
    'plain-names': plainNames,
  },
};

/** All of them as errors. */
export const hermesRules = Object.fromEntries(Object.keys(hermes.rules).map((name) => [`hermes/${name}`, 'error']));
