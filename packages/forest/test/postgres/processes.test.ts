import { spawn } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { postgresStore } from '@skein/forest';
import { build } from 'esbuild';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { makeNode, makePath, toRecords } from '../../src/testing/store-samples.ts';
import { createDatabase } from './database.ts';
import { type Server, startServer } from './server.ts';
import { useDatabase } from './use-database.ts';

const used = useDatabase();
let folder: string;
let program: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'skein-child-'));
  program = join(folder, 'child.mjs');
  await build({
    entryPoints: [fileURLToPath(new URL('writing-child.ts', import.meta.url))],
    outfile: program,
    bundle: true,
    format: 'esm',
    platform: 'node',
    external: ['pg-native', 'cloudflare:sockets'],
    // pg is CommonJS: bundled into a module it still asks for Node's modules in its own way.
    banner: { js: "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);" },
  });
});
afterAll(() => rm(folder, { recursive: true, force: true }));

/** The ids that a writing process had acknowledged when it ended, by itself or by being killed. */
function write(name: string, count: number, killAfter = Number.POSITIVE_INFINITY): Promise<string[]> {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [program, used.database.url, name, String(count)]);
    let said = '';
    let complaints = '';
    let killed = false;
    child.stdout.on('data', (chunk) => {
      said += chunk;
      if (killed || said.split('\n').length <= killAfter) return;
      killed = true;
      child.kill('SIGKILL');
    });
    child.stderr.on('data', (chunk) => {
      complaints += chunk;
    });
    child.on('close', (code) => {
      if (code !== 0 && !killed) reject(new Error(complaints));
      else resolve(said.split('\n').slice(0, -1));
    });
  });
}

test('processes that write at once, one of them killed, lose nothing that was acknowledged', async () => {
  const acknowledged = (await Promise.all([write('one', 60), write('two', 60), write('three', 60, 40)])).flat();
  const store = await used.open('shared');
  const ids = [...new Set(acknowledged)];
  expect(ids.length).toBeGreaterThan(180);
  expect((await store.nodes(ids)).filter((node) => node === undefined)).toEqual([]);
  expect(await store.check()).toEqual([]);
});

describe('a server that dies', () => {
  let server: Server;
  beforeAll(async () => {
    server = await startServer();
  });
  afterAll(() => server?.remove());

  test('has every acknowledged append when it is back, and no operation has failed', async () => {
    const database = await createDatabase(server.url);
    const store = await postgresStore(database.url, { project: 'p' });
    const path = makePath(Array.from({ length: 150 }, (_, at) => `m${at}`));
    const acknowledged: string[] = [];
    let back: Promise<void> | undefined;
    for (const [at, made] of path.entries()) {
      if (at % 50 === 25) {
        await back;
        await server.crash();
        back = server.start();
      }
      await store.append(toRecords([made]));
      acknowledged.push(made.node.id);
      expect(await store.deepest(acknowledged)).toBe(acknowledged.length - 1);
    }
    await back;
    expect((await store.nodes(acknowledged)).filter((node) => node === undefined)).toEqual([]);
    expect((await store.path(acknowledged.at(-1)!)).length).toBe(150);
    expect(await store.check()).toEqual([]);
    await store.close();
    await database.drop();
  });

  test('is told at once to a store without patience, and a closed store does not wait for it', async () => {
    const database = await createDatabase(server.url);
    const hasty = await postgresStore(database.url, { project: 'p', patience: 0 });
    const patient = await postgresStore(database.url, { project: 'p' });
    await server.crash();
    await expect(hasty.append(toRecords([makeNode('lost')]))).rejects.toMatchObject({ code: 'store_unreachable' });
    const waiting = patient.append(toRecords([makeNode('waits')])).catch((error: unknown) => error);
    await patient.close();
    expect(await waiting).toMatchObject({ code: expect.stringMatching(/store_(closed|unreachable)/) });
    await server.start();
    await hasty.append(toRecords([makeNode('lost')]));
    await hasty.close();
    await database.drop();
  });
});
