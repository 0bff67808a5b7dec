import { assistant, user } from '@skein/core';
import { expect, test } from 'vitest';
import { createForest, type Forest } from '../forest/index.ts';
import { ROOT } from '../model/ids.ts';
import { memoryStore } from '../store/index.ts';
import { answerSync, remotePeer, type SyncCall } from './protocol.ts';
import { storePeer } from './store-peer.ts';
import { syncForests } from './sync-forests.ts';
import type { SyncPeer } from './sync-peer.ts';

type Json = null | boolean | number | string | Json[] | { [name: string]: Json };
type Path = readonly (string | number)[];

/** Two forests that know one conversation. Each has continued it, and one has renamed it. */
async function startForests(): Promise<{ here: Forest; there: Forest }> {
  const [here, there] = [createForest(memoryStore()), createForest(memoryStore())];
  const head = await here.append(ROOT, [user('Hello'), assistant('Good day')]);
  const thread = await here.threads.create({ head, title: 'Greetings' });
  await meet(here, connect(there));
  await there.threads.rename(thread.id, 'Salutations');
  await there.append(head, [user('How are you?')]);
  await here.append(head, [user('Who are you?')]);
  return { here, there };
}

function meet(here: Forest, peer: SyncPeer) {
  return syncForests(storePeer(here.store), peer, { direction: 'both' });
}

/** A connection that hands on what `change` makes of each answer, by the number of its call. */
function connect(
  { store }: Forest,
  change: (answer: Json, call: number, asked: SyncCall) => Json = (answer) => answer,
) {
  const peer = storePeer(store);
  let calls = 0;
  return remotePeer(async (call) => {
    const answer: Json = JSON.parse(JSON.stringify(await answerSync(peer, JSON.parse(JSON.stringify(call)))));
    return change(answer, calls++, call);
  });
}

/** Where members and elements are; of a list, the first stands for all. */
function placesIn(value: Json, path: Path = []): Path[] {
  if (typeof value !== 'object' || value === null) return [];
  const all = Array.isArray(value) ? [...value.entries()].slice(0, 1) : Object.entries(value);
  return all.flatMap(([key, member]) => [[...path, key], ...placesIn(member, [...path, key])]);
}

/** The same with another member; without it if `to` is undefined. */
function withMember(value: Json, [key, ...rest]: Path, to: Json | undefined): Json {
  const copy = structuredClone(value) as Record<string | number, Json>;
  if (rest.length > 0) copy[key!] = withMember(copy[key!]!, rest, to);
  else if (to !== undefined) copy[key!] = to;
  else if (Array.isArray(copy)) copy.splice(Number(key), 1);
  else delete copy[key!];
  return copy;
}

test('an answer with any member altered or missing is refused as one, if it is noticed', async () => {
  const answers: Json[] = [];
  const first = await startForests();
  await meet(
    first.here,
    connect(first.there, (answer) => {
      answers.push(answer);
      return answer;
    }),
  );
  expect(answers.length).toBeGreaterThan(5);
  const codes = new Set<unknown>();
  for (const [call, answer] of answers.entries())
    for (const place of placesIn(answer))
      for (const to of [undefined, null, 7, {}]) {
        const { here, there } = await startForests();
        const altered = connect(there, (one, number) => (number === call ? withMember(one, place, to) : one));
        const problem = await meet(here, altered).then(
          () => undefined,
          (error) => error,
        );
        const where = `call ${call}, ${place.join('.')} = ${JSON.stringify(to)}`;
        if (problem) expect(`${where}: ${problem.code}`).toMatch(/: sync_(refused|version)$/);
        codes.add(problem?.code);
      }
  expect(codes).toContain('sync_refused');
});
