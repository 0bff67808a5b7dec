// `npm run docs`: the documentation as a site of static files, with search and the reference of the library, in site/dist.
// `--serve` shows it at a local address.
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { placePage, stagePage } from './docs-pages.mjs';
import { npm, root, run, setUp } from './setup.mjs';

const site = join(root, 'site');
const pages = join(site, 'pages');

if (setUp() && installSite()) {
  stagePages();
  const built = vitepress(['build', site]) && writeReference();
  if (built) console.log(`The site is in ${join(site, 'dist')}.`);
  const shown = built && process.argv.includes('--serve') ? vitepress(['preview', site]) : built;
  process.exitCode = shown ? 0 : 1;
} else process.exitCode = 1;

function installSite() {
  if (existsSync(join(site, 'node_modules', '.package-lock.json'))) return true;
  return npm(['ci', '--prefix', site, '--ignore-scripts']);
}

/** @param {readonly string[]} args */
function vitepress(args) {
  return run(process.execPath, [join(site, 'node_modules/vitepress/bin/vitepress.js'), ...args]);
}

/** Copies every page to its place in the site, with links between these places. */
function stagePages() {
  rmSync(pages, { recursive: true, force: true });
  for (const { path, target, text } of listPages()) {
    mkdirSync(dirname(join(pages, target)), { recursive: true });
    writeFileSync(join(pages, target), stagePage(path, text));
  }
  cpSync(join(root, 'docs/pictures'), join(pages, 'pictures'), { recursive: true });
}

function listPages() {
  const docs = readdirSync(join(root, 'docs'), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.md'))
    .map((name) => `docs/${name.replaceAll('\\', '/')}`);
  const packages = readdirSync(join(root, 'packages')).map((name) => `packages/${name}/README.md`);
  return [
    'README.md',
    'CHANGELOG.md',
    'CONTRIBUTING.md',
    ...docs,
    ...packages.filter((path) => existsSync(join(root, path))),
  ].map((path) => ({ path, target: placePage(path) ?? path, text: readFileSync(join(root, path), 'utf8') }));
}

/** The reference of everything that the packages export, from their comments. */
function writeReference() {
  const entries = readdirSync(join(root, 'packages')).flatMap((name) => {
    if (name === 'skein') return [];
    const { exports = {} } = JSON.parse(readFileSync(join(root, 'packages', name, 'package.json'), 'utf8'));
    const built = [...JSON.stringify(exports).matchAll(/"\.\/dist\/([\w/-]+)\.js"/g)].map(([, entry]) => entry);
    return [...new Set(built)].map((entry) => join(root, 'packages', name, 'src', `${entry}.ts`)).filter(existsSync);
  });
  return run(process.execPath, [
    ...[join(site, 'node_modules/typedoc/bin/typedoc'), ...entries.flatMap((entry) => ['--entryPoints', entry])],
    ...[
      '--tsconfig',
      join(root, 'tsconfig.json'),
      '--out',
      join(site, 'dist/api'),
      '--name',
      'Skein',
      ...['--readme', join(site, 'reference.md')],
      ...['--titleLink', '/'],
    ],
    ...['--plugin', join(site, 'name-modules.mjs')],
    ...['--skipErrorChecking', '--disableSources', '--excludeInternal', '--excludePrivate', '--logLevel', 'Warn'],
  ]);
}
