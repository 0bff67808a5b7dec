import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import ts from 'typescript';

/** The source files behind the `exports` of every package. */
export function findEntries(root: string): string[] {
  return readdirSync(join(root, 'packages')).flatMap((name) => {
    const folder = join(root, 'packages', name);
    const manifest = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as { exports?: object };
    const built = JSON.stringify(manifest.exports ?? {}).matchAll(/"\.\/dist\/([\w/-]+)\.js"/g);
    return [...built].map(([, entry]) => join(folder, 'src', `${entry}.ts`)).filter(existsSync);
  });
}

const exported = new Map<string, Set<string>>();

/** The names of the interfaces, type aliases and classes that a file exports, its re-exports included. */
export function readExportedTypes(file: string): Set<string> {
  const known = exported.get(file) ?? collectTypes(file);
  exported.set(file, known);
  return known;
}

function collectTypes(file: string): Set<string> {
  const source = ts.createSourceFile(file, readFileSync(file, 'utf8'), ts.ScriptTarget.Latest);
  const names = new Set<string>();
  for (const statement of source.statements) {
    if (ts.isExportDeclaration(statement)) addExports(names, file, source, statement);
    else if (isTypeDeclaration(statement) && isExported(statement)) names.add(statement.name?.text ?? 'default');
  }
  return names;
}

type TypeDeclaration = ts.InterfaceDeclaration | ts.TypeAliasDeclaration | ts.ClassDeclaration;

const isTypeDeclaration = (node: ts.Node): node is TypeDeclaration =>
  ts.isInterfaceDeclaration(node) || ts.isTypeAliasDeclaration(node) || ts.isClassDeclaration(node);

const isExported = ({ modifiers }: TypeDeclaration): boolean =>
  modifiers?.some(({ kind }) => kind === ts.SyntaxKind.ExportKeyword) ?? false;

function addExports(names: Set<string>, file: string, source: ts.SourceFile, statement: ts.ExportDeclaration): void {
  const { exportClause, moduleSpecifier } = statement;
  const origin = moduleSpecifier && ts.isStringLiteral(moduleSpecifier) ? moduleSpecifier.text : undefined;
  const isOwn = origin?.startsWith('.') ?? true;
  const known = origin !== undefined && isOwn ? readExportedTypes(join(dirname(file), origin)) : readLocalTypes(source);
  if (exportClause === undefined) for (const name of known) names.add(name);
  else if (ts.isNamedExports(exportClause)) {
    for (const { name, propertyName, isTypeOnly } of exportClause.elements) {
      if (isTypeOnly || statement.isTypeOnly || known.has((propertyName ?? name).text)) names.add(name.text);
    }
  }
}

const readLocalTypes = (source: ts.SourceFile): Set<string> =>
  new Set(source.statements.filter(isTypeDeclaration).map(({ name }) => name?.text ?? 'default'));
