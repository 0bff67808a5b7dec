import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { assistant, system, user } from '@skein/core';
import { openForest, ROOT } from '@skein/forest';
import { skein } from './skein.ts';

/** A home with a small forest, for commands to be run on. */
export interface SeededHome {
  readonly home: string;
  readonly store: string;
  readonly seeded: Readonly<Record<'asked' | 'yarn' | 'geese' | 'thread' | 'other', string>>;
  /** Runs a command on the forest. */
  run(...args: string[]): ReturnType<typeof skein>;
  remove(): void;
}

export async function seedHome(): Promise<SeededHome> {
  const home = mkdtempSync(join(tmpdir(), 'skein-commands-'));
  const store = join(home, 'forest');
  const forest = await openForest(store);
  const asked = await forest.append(ROOT, [system('Be brief.'), user('What is a skein?')]);
  const usage = { input: 10, cacheRead: 30, cacheWrite5m: 0, cacheWrite1h: 0, output: 7, reasoning: 2, native: '{}' };
  const yarn = await forest.append(asked, [assistant('A length of yarn.\nCoiled.')], { usage, cost: 0.25 });
  // What a model writes must not reach the terminal as a command to it.
  const geese = await forest.append(asked, [assistant('Geese \u001b[31min flight.')]);
  const { id: thread } = await forest.threads.create({ head: yarn, title: 'Of yarn' });
  const { id: other } = await forest.threads.create({ head: geese, title: 'Of geese' });
  await forest.threads.tag(other, { birds: true });
  await forest.close();
  return {
    home,
    store,
    seeded: { asked, yarn, geese, thread, other },
    run: (...args) => skein(home, [...args, '--store', store]),
    remove: () => rmSync(home, { recursive: true, force: true }),
  };
}
