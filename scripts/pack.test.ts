/** Every package as a user gets it: packed, installed in an empty project, and used. */
import { execFile } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { builtinModules } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { build } from 'esbuild';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { publishOrder } from './packages.mjs';
import { inWorker, openPage } from './test-chromium.ts';
import { typeProblems } from './type-problems.ts';

const root = fileURLToPath(new URL('..', import.meta.url));
const run = promisify(execFile);
const project = mkdtempSync(join(tmpdir(), 'skein-pack-'));

const packages = publishOrder();
const exportsOf = (folder: string): object =>
  (JSON.parse(readFileSync(join(root, folder, 'package.json'), 'utf8')) as { exports?: object }).exports ?? {};

/** Long, because the machine may be busy. */
const SLOW = 600_000;

/** The npm that started this process, or the one on the path. */
function npm(args: readonly string[], cwd: string) {
  const script = process.env.npm_execpath;
  const options = { cwd, maxBuffer: 2 ** 26 };
  return script?.endsWith('.js') ? run(process.execPath, [script, ...args], options) : run('npm', args, options);
}

beforeAll(async () => {
  const tarballs = join(project, 'tarballs');
  mkdirSync(tarballs);
  const chosen = packages.flatMap(({ folder }) => ['-w', folder]);
  const { stdout } = await npm(['pack', ...chosen, '--pack-destination', tarballs, '--json'], root);
  // Older releases of npm print the name of the script that they run before.
  const packed = JSON.parse(stdout.slice(stdout.search(/^\[/m))) as {
    readonly name: string;
    readonly filename: string;
  }[];
  const dependencies = Object.fromEntries(
    packed.map(({ name, filename }) => [name, `file:tarballs/${filename.replace('@skein/', 'skein-')}`]),
  );
  writeFileSync(
    join(project, 'package.json'),
    JSON.stringify({
      private: true,
      type: 'module',
      dependencies,
      devDependencies: { '@types/node': '20', '@opentelemetry/api': '1' },
      // The packages depend on each other by version, and are not in the registry.
      overrides: Object.fromEntries(packed.map(({ name }) => [name, `$${name}`])),
    }),
  );
  cpSync(join(root, 'scripts', 'pack'), project, { recursive: true });
  await npm(['install', '--no-audit', '--no-fund', '--ignore-scripts', '--prefer-offline'], project);
}, SLOW);

afterAll(() => rm(project, { recursive: true, force: true }), SLOW);

test('packages have a licence and no sources, and the page is there', () => {
  const names = packages.map(({ manifest }) => manifest.name).toSorted();
  expect(names.length).toBeGreaterThan(5);
  for (const name of names) {
    expect(existsSync(join(project, 'node_modules', name, 'src')), name).toBe(false);
    expect(existsSync(join(project, 'node_modules', name, 'LICENSE')), name).toBe(true);
  }
  expect(existsSync(join(project, 'node_modules', '@skein', 'web', 'dist', 'index.html'))).toBe(true);
});

test(
  'types hold for a program in TypeScript, and so do our own',
  () => {
    const { checked, problems } = typeProblems(project);
    for (const entry of ['@skein/agents', '@skein/core', '@skein/emulator', '@skein/forest', '@skein/server', 'skein'])
      expect(checked.join('\n')).toContain(`/${entry}/dist/index.d.ts`);
    expect(problems).toEqual([]);
  },
  SLOW,
);

// releases.mjs tries other releases of Node.
test('Node imports every entry, and the packages work', works, SLOW);

/** The program in `pack/` uses each package a little; the command is started as npm starts it. */
async function works(): Promise<void> {
  // The plug-ins for test runners are loaded by those.
  const imported = packages.filter(({ manifest }) => manifest.name !== '@skein/testing');
  const entries = imported.flatMap(({ folder, manifest }) =>
    Object.keys(exportsOf(folder))
      .filter((entry) => !['./package.json', './bin'].includes(entry))
      .map((entry) => join(manifest.name, entry).replaceAll('\\', '/')),
  );
  const env = { PATH: process.env.PATH, HOME: project, NO_COLOR: '1' };
  const used = await run(process.execPath, ['use.mjs', ...entries], { cwd: project, env });
  expect(used.stdout).toBe('Echo: Hello | Echo: Hello | v1 | default\n');
  const command = join(project, 'node_modules', 'skein', 'bin', 'skein.js');
  expect((await run(process.execPath, [command, '--version'], { cwd: project, env })).stdout).toBe('0.1.0\n');
  const asking = run(process.execPath, [command, 'ask', 'Hello', '--store', 'memory'], { cwd: project, env });
  asking.child.stdin?.end();
  expect((await asking).stdout).toContain('demo model');
}

test('core in a page and in a worker', async () => {
  const {
    outputFiles: [bundle],
  } = await build({
    entryPoints: [join(project, 'browser.mjs')],
    bundle: true,
    format: 'esm',
    platform: 'browser',
    external: ['node:*', ...builtinModules],
    write: false,
    logLevel: 'silent',
  });
  const { page, close } = await openPage({
    '/': ['text/html', '<!doctype html><title>core</title>'],
    '/core.js': ['text/javascript', bundle!.text],
    '/worker.js': ['text/javascript', `import { said } from '/core.js'; postMessage(said())`],
  });
  try {
    expect(await page.evaluate(`import('/core.js').then(({ said }) => said())`)).toBe('Grüße');
    expect(await page.evaluate(inWorker('/worker.js'))).toBe('Grüße');
  } finally {
    await close();
  }
});
