import { isBuiltin } from 'node:module';
import { posix } from 'node:path';
import ts from 'typescript';

/** Folders, and single files, of a package from the lowest to the highest: a file imports from its own folder or a lower one. */
const layers: Readonly<Record<string, readonly string[]>> = {
  'packages/core': ['error.ts', 'json', 'message', 'dialects', 'providers', 'run', 'conversation', 'testing'],
  'packages/forest': [
    'model',
    'store',
    'forest',
    'engine',
    'record',
    'caching',
    'formats',
    'cassettes',
    'sync',
    'routes',
    'testing',
  ],
  'packages/agents': ['files', 'config', 'tools', 'mcp', 'agents'],
  'packages/cli': ['output', 'context', 'question', 'chat', 'commands', 'definitions'],
  'packages/web': [
    'words',
    'api',
    'state',
    'commands',
    'ui',
    'blocks',
    'graph',
    'inspector',
    'recordings',
    'settings',
    'session',
    'usage',
    'threads',
    'conversation',
    'compare',
    'shell',
  ],
};

/** Packages whose build includes their dependencies. */
const bundled: readonly string[] = ['packages/web'];

/** Entries that run outside Node, too: nothing they reach may import a Node module. */
const portableEntries = ['packages/core/src/index.ts'];

export interface Manifest {
  readonly name: string;
  readonly private?: boolean;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly peerDependencies?: Readonly<Record<string, string>>;
  readonly devDependencies?: Readonly<Record<string, string>>;
}

export interface Repository {
  /** Source text by path from the root. */
  readonly files: ReadonlyMap<string, string>;
  /** package.json by the package's folder; the root's is `''`. */
  readonly manifests: ReadonlyMap<string, Manifest>;
}

/** Every import that points the wrong way, and every circle of imports, one line each. */
export function findViolations({ files, manifests }: Repository): string[] {
  const imports = new Map([...files].map(([path, text]) => [path, readImports(text)]));
  return [
    ...wrongLayers(imports),
    ...unnamedPackages(imports, manifests),
    ...nodeInPortableEntries(imports),
    ...circles(files),
  ];
}

type Imports = ReadonlyMap<string, readonly string[]>;

function readImports(text: string): string[] {
  return ts.preProcessFile(text).importedFiles.map(({ fileName }) => fileName);
}

const isRelative = (specifier: string) => specifier.startsWith('.');
const isTest = (path: string) => /(\.test|\.config|\/test-[^/]*)\.ts$|^packages\/[^/]+\/test\//.test(path);
const resolve = (from: string, specifier: string) => posix.join(posix.dirname(from), specifier);

function* wrongLayers(imports: Imports) {
  for (const [path, specifiers] of imports) {
    const [, folder, inner] = /^(packages\/[^/]+)\/src\/(.*)$/.exec(path) ?? [];
    if (folder === undefined || inner === undefined || isTest(path)) continue;
    const from = rank(folder, inner);
    if (from === -1) yield `${path}: its folder is not in the list of layers`;
    for (const target of specifiers.filter(isRelative).map((specifier) => resolve(path, specifier))) {
      if (isTest(target)) yield `${path}: imports the test ${target}`;
      else if (!target.startsWith(`${folder}/src/`)) yield `${path}: leaves its package for ${target}`;
      else if (rank(folder, target.slice(`${folder}/src/`.length)) > from)
        yield `${path}: imports ${target}, which is a layer above it`;
    }
  }
}

/** Where a file stands in its package: entry files, directly in src, are above every folder unless the list names them. */
function rank(folder: string, inner: string) {
  const order = layers[folder];
  if (!order) return 0;
  if (inner.includes('/')) return order.indexOf(inner.slice(0, inner.indexOf('/')));
  return order.includes(inner) ? order.indexOf(inner) : order.length;
}

function* unnamedPackages(imports: Imports, manifests: Repository['manifests']) {
  for (const [path, specifiers] of imports) {
    const folder = [...manifests.keys()].find((one) => one !== '' && path.startsWith(`${one}/`));
    const manifest = folder === undefined ? undefined : manifests.get(folder);
    if (!manifest) continue;
    const named = new Set(Object.keys({ ...manifest.dependencies, ...manifest.peerDependencies }));
    if (manifest.private || isTest(path) || bundled.includes(folder!)) {
      // Tests also use the tools that the root names for all packages.
      const more = { ...manifest.devDependencies, ...manifests.get('')?.devDependencies, [manifest.name]: '' };
      for (const name of Object.keys(more)) named.add(name);
    }
    for (const specifier of specifiers) {
      if (isRelative(specifier) || isBuiltin(specifier)) continue;
      const name = specifier.split('/', specifier.startsWith('@') ? 2 : 1).join('/');
      if (!named.has(name)) yield `${path}: imports ${name}, which ${folder}/package.json does not name for it`;
    }
  }
}

function* nodeInPortableEntries(imports: Imports) {
  const reached = new Set(portableEntries.filter((entry) => imports.has(entry)));
  for (const path of reached) {
    for (const specifier of imports.get(path) ?? []) {
      if (isBuiltin(specifier))
        yield `${path}: imports ${specifier}, but is reached from an entry that runs outside Node`;
      else if (isRelative(specifier)) reached.add(resolve(path, specifier));
    }
  }
}

/**
 * Files that need each other while they load: what the first of them sees of the last is not there yet. Imports of types
 * are gone by then, and those inside functions come later.
 */
function* circles(files: Repository['files']) {
  const done = new Set<string>();
  const path: string[] = [];
  function* visit(file: string): Generator<string> {
    if (path.includes(file)) yield `${[...path.slice(path.indexOf(file)), file].join(' → ')}: a circle of imports`;
    if (done.has(file)) return;
    done.add(file);
    path.push(file);
    for (const target of loadedFiles(file, files.get(file)!)) if (files.has(target)) yield* visit(target);
    path.pop();
  }
  for (const file of files.keys()) if (!isTest(file)) yield* visit(file);
}

function loadedFiles(path: string, text: string): string[] {
  return ts.createSourceFile(path, text, ts.ScriptTarget.Latest).statements.flatMap((statement) => {
    const specifier = loadedBy(statement);
    return specifier !== undefined && isRelative(specifier) ? [resolve(path, specifier)] : [];
  });
}

/** What an import or a re-export loads; undefined if it names nothing but types. */
function loadedBy(statement: ts.Statement): string | undefined {
  if (!ts.isImportDeclaration(statement) && !ts.isExportDeclaration(statement)) return undefined;
  if (!statement.moduleSpecifier || !ts.isStringLiteral(statement.moduleSpecifier)) return undefined;
  const clause = ts.isImportDeclaration(statement) ? statement.importClause : statement;
  const names = clause && ts.isImportClause(clause) ? clause.namedBindings : clause?.exportClause;
  const hasDefault = clause !== undefined && ts.isImportClause(clause) && clause.name !== undefined;
  const isList = names !== undefined && (ts.isNamedImports(names) || ts.isNamedExports(names));
  const areTypes = isList && !hasDefault && names.elements.every(({ isTypeOnly }) => isTypeOnly);
  return clause?.isTypeOnly || areTypes ? undefined : statement.moduleSpecifier.text;
}
