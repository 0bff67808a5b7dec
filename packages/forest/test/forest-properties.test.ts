import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll } from 'vitest';
import { fileStore, memoryStore } from '../src/index.ts';
import { forestProperties } from './forest-properties.ts';
import { useDatabase } from './postgres/use-database.ts';

const folders: string[] = [];
afterAll(async () => {
  for (const folder of folders) await rm(folder, { recursive: true });
});

const database = useDatabase();

/** `npm run torture` asks for more. */
const MORE = Number(process.env.SKEIN_KILLS ?? 20) / 20;

forestProperties('memory', async () => memoryStore(), 500 * MORE);
forestProperties('file', openFolder, 40 * MORE);
forestProperties('postgres', () => database.open(), 12 * MORE);

async function openFolder() {
  const folder = await mkdtemp(join(tmpdir(), 'skein-forest-'));
  folders.push(folder);
  return fileStore(folder, { durability: 'os' });
}
