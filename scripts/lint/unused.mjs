/**
 * What nothing uses: values exported from `src` that no other module imports, and sentences of `src/text/en` that no code names. Reads the
 * syntax alone, by name: a module that is imported whole counts as used whole, and so does a record of sentences that is passed on whole.
 */
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import ts from 'typescript';

/** @param {string} folder @returns {string[]} paths of every .ts and .mjs below it */
function sourcesBelow(folder) {
  return readdirSync(folder, { recursive: true })
    .map((name) => path.join(folder, name))
    .filter((file) => /\.(?:ts|mjs)$/.test(file) && !/\.d\.m?ts$/.test(file));
}

const parse = (file) => ts.createSourceFile(file, readFileSync(file, 'utf8'), ts.ScriptTarget.Latest, true);

const isExported = (node) => ts.canHaveModifiers(node) && ts.getModifiers(node)?.some((each) => each.kind === ts.SyntaxKind.ExportKeyword);

const isType = (node) => ts.isInterfaceDeclaration(node) || ts.isTypeAliasDeclaration(node);

/** Values a module exports itself: `{ name, node }`. Types are left out: they cost nothing, and name what a signature says. */
function exportsOf(source) {
  return source.statements.filter(isExported).flatMap((statement) => {
    if (isType(statement)) return [];
    if (ts.isVariableStatement(statement))
      return statement.declarationList.declarations
        .filter((declaration) => ts.isIdentifier(declaration.name))
        .map((declaration) => ({ name: declaration.name.text, node: declaration }));
    return statement.name === undefined ? [] : [{ name: statement.name.text, node: statement }];
  });
}

/** The module a relative specifier means, and undefined for packages. */
const targetOf = (source, specifier) =>
  specifier.text.startsWith('.') ? path.resolve(path.dirname(source.fileName), specifier.text) : undefined;

/** Every `file#name` that the module imports or hands on; `file#*` where it takes all of it. */
function importsOf(source) {
  const found = [];
  const visit = (node) => {
    if ((ts.isImportDeclaration(node) || ts.isExportDeclaration(node)) && node.moduleSpecifier !== undefined) {
      const file = targetOf(source, node.moduleSpecifier);
      const named = ts.isImportDeclaration(node) ? node.importClause?.namedBindings : node.exportClause;
      const from = ts.isExportDeclaration(node) ? source.fileName : undefined;
      if (file !== undefined && named !== undefined && (ts.isNamedImports(named) || ts.isNamedExports(named)))
        for (const each of named.elements) {
          const key = `${file}#${(each.propertyName ?? each.name).text}`;
          found.push({ key, ...(from === undefined ? {} : { through: `${from}#${each.name.text}` }) });
        }
      else if (file !== undefined && node.importClause?.name === undefined) found.push({ key: `${file}#*` });
    }
    if (ts.isCallExpression(node) && node.expression.kind === ts.SyntaxKind.ImportKeyword && ts.isStringLiteral(node.arguments[0])) {
      const file = targetOf(source, node.arguments[0]);
      for (const name of namesTaken(node)) if (file !== undefined) found.push({ key: `${file}#${name}` });
    }
    ts.forEachChild(node, visit);
  };
  visit(source);
  return found;
}

/** What `const { a } = await import(…)` or `(await import(…)).a` takes; `*` where that can't be seen. */
function namesTaken(call) {
  const awaited = ts.isAwaitExpression(call.parent) ? call.parent : undefined;
  const holder = awaited?.parent;
  if (holder !== undefined && ts.isVariableDeclaration(holder) && ts.isObjectBindingPattern(holder.name))
    return holder.name.elements.map((each) => (each.propertyName ?? each.name).getText());
  const outer = holder !== undefined && ts.isParenthesizedExpression(holder) ? holder.parent : undefined;
  return outer !== undefined && ts.isPropertyAccessExpression(outer) ? [outer.name.text] : ['*'];
}

/** Whether the module itself names it anywhere but where it is declared. */
function isNamedInside(source, { name, node }) {
  let isFound = false;
  const visit = (each) => {
    if (ts.isIdentifier(each) && each.text === name && each !== node.name) isFound = true;
    else if (!isFound) ts.forEachChild(each, visit);
  };
  visit(source);
  return isFound;
}

/**
 * @param {string} root the project
 * @returns {string[]} `file: name`, and what to do about it. A test may import what a module also uses itself; what only tests use is none of
 *   the program's business.
 */
export function findUnusedExports(root) {
  const product = ['src', 'scripts', 'fixtures'].flatMap((folder) => sourcesBelow(path.join(root, folder))).map(parse);
  const tests = sourcesBelow(path.join(root, 'test')).map(parse);
  const used = namesUsed(product, product);
  const tested = namesUsed(tests, [...product, ...tests]);
  return product
    .filter((source) => source.fileName.startsWith(path.join(root, 'src')))
    .flatMap((source) => {
      const isIn = (names, name) => names.has(`${source.fileName}#${name}`) || names.has(`${source.fileName}#*`);
      return exportsOf(source).flatMap((each) => {
        if (isIn(used, each.name)) return [];
        const label = `${path.relative(root, source.fileName).split(path.sep).join('/')}: ${each.name}`;
        if (!isNamedInside(source, each)) return [`${label} is used by ${isIn(tested, each.name) ? 'tests alone' : 'nobody'}`];
        return isIn(tested, each.name) ? [] : [`${label} is used in its own module alone: no export`];
      });
    });
}

/** What `users` import, followed through the modules that hand it on: an index counts once somebody takes the name from it. */
function namesUsed(users, all) {
  const used = new Set(
    users
      .flatMap(importsOf)
      .filter((each) => each.through === undefined)
      .map((each) => each.key),
  );
  const handedOn = all.flatMap(importsOf).filter((each) => each.through !== undefined);
  for (let before = -1; before !== used.size;) {
    before = used.size;
    for (const { key, through } of handedOn) if (used.has(through) || used.has(through.replace(/#.*$/, '#*'))) used.add(key);
  }
  return used;
}

/**
 * Sentences whose name no code of `src` reads: `text.name`, `text['name']`, `{ name } = text`. Only the first level counts: what is below is
 * often chosen by a value (`text.copied[way]`).
 * @param {string} root the project
 * @returns {string[]} `file: record.name`
 */
export function findUnusedTexts(root) {
  const sources = sourcesBelow(path.join(root, 'src')).map(parse);
  const taken = new Set();
  const wholes = new Set();
  for (const source of sources) {
    const aliases = aliasesOf(source);
    const nameOf = (node) => aliases.get(node.text) ?? node.text;
    const visit = (node) => {
      if (ts.isImportDeclaration(node)) return;
      if (ts.isIdentifier(node) && !isMemberName(node)) {
        const { parent } = node;
        const record = nameOf(node);
        if (ts.isPropertyAccessExpression(parent)) taken.add(`${record}.${parent.name.text}`);
        else if (ts.isElementAccessExpression(parent) && ts.isStringLiteral(parent.argumentExpression))
          taken.add(`${record}.${parent.argumentExpression.text}`);
        else if (ts.isVariableDeclaration(parent) && parent.initializer === node && ts.isObjectBindingPattern(parent.name))
          for (const each of parent.name.elements) taken.add(`${record}.${(each.propertyName ?? each.name).getText()}`);
        else if (!(ts.isVariableDeclaration(parent) && parent.name === node)) wholes.add(record);
      }
      ts.forEachChild(node, visit);
    };
    visit(source);
  }
  return sources
    .filter((source) => source.fileName.startsWith(path.join(root, 'src/text/en')))
    .flatMap((source) =>
      exportsOf(source).flatMap(({ name, node }) => {
        const record = recordOf(node);
        if (record === undefined || wholes.has(name)) return [];
        return record.properties
          .map((property) => property.name.text)
          .filter((each) => !taken.has(`${name}.${each}`))
          .map((each) => `${path.basename(source.fileName)}: ${name}.${each}`);
      }),
    );
}

/** `import { start as startText }`: what the module calls it → what it is called at home. */
function aliasesOf(source) {
  const found = new Map();
  for (const statement of source.statements) {
    const named = ts.isImportDeclaration(statement) ? statement.importClause?.namedBindings : undefined;
    if (named === undefined || !ts.isNamedImports(named)) continue;
    for (const each of named.elements) if (each.propertyName !== undefined) found.set(each.name.text, each.propertyName.text);
  }
  return found;
}

const isMemberName = (node) =>
  (ts.isPropertyAccessExpression(node.parent) && node.parent.name === node) ||
  (ts.isPropertyAssignment(node.parent) && node.parent.name === node) ||
  (ts.isBindingElement(node.parent) && node.parent.propertyName === node);

function recordOf(declaration) {
  let value = declaration.initializer;
  while (value !== undefined && (ts.isAsExpression(value) || ts.isSatisfiesExpression(value))) value = value.expression;
  return value !== undefined && ts.isObjectLiteralExpression(value) ? value : undefined;
}
