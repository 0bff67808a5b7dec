/** A machine of the simulation: a disk, a clock, and a process with the real store, recorder and engine. */
import assert from 'node:assert/strict';
import {
  createEngine,
  createForest,
  type Engine,
  type Forest,
  recordFetch,
  type Store,
  StoreError,
  storePeer,
} from '@skein/forest';
import type { RecordFetch } from '../../src/record/record-fetch.ts';
import { fileStore } from '../../src/store/file/file-store.ts';
import { createTestDisk, type TestDisk } from '../../src/store/file/test-disk.ts';
import type { ChatMessage, SimulatedProvider } from './provider.ts';
import type { VirtualTime } from './virtual-time.ts';

/** A client that keeps its own history, as most do. */
export interface Conversation {
  readonly messages: ChatMessage[];
  /** It waits for an answer, and asks nothing else. */
  isBusy: boolean;
  /** What the client saw when the recorder last said that everything was stored. */
  kept?: readonly ChatMessage[];
}

/** What is true of a machine whatever happens to it. */
export interface Replica {
  readonly name: string;
  readonly disk: TestDisk;
  /** Whether its store answers, as a database does that is elsewhere. */
  database: 'there' | 'refusing' | 'silent';
  forest: Forest;
  engine: Engine;
  fetch: RecordFetch;
  /** Its clock is this much ahead. */
  aheadMs: number;
  /** The nodes whose writing was acknowledged. */
  readonly acknowledged: Set<string>;
  conversations: Conversation[];
  /** Whether the recorder reported something that it could not store. */
  hasRecordingError: boolean;
  /** Whether that is so, or recordings wait in memory, which end with the process. */
  isAtRisk(): Promise<boolean>;
}

const MOMENT = { code: new Set(['torn-line', 'damaged-record']) };

export async function openReplica(name: string, time: VirtualTime, provider: SimulatedProvider): Promise<Replica> {
  const own = { name, disk: createTestDisk(), database: 'there', aheadMs: 0, acknowledged: new Set<string>() };
  const replica = own as unknown as Replica;
  replica.conversations = [];
  await reopen(replica, time, provider);
  return replica;
}

/** Starts the process again on what the disk has. */
export async function reopen(replica: Replica, time: VirtualTime, provider: SimulatedProvider): Promise<void> {
  const store = overNetwork(await fileStore('/forest', { files: replica.disk.files() }), replica, time);
  const now = () => Date.now() + replica.aheadMs;
  replica.forest = createForest(store, { now });
  replica.engine = createEngine(replica.forest, {
    env: { OPENAI_API_KEY: 'sk-simulated' },
    fetch: provider.fetch,
    random: time.random,
  });
  replica.hasRecordingError = false;
  replica.isAtRisk = async () => replica.hasRecordingError;
  replica.fetch = recordFetch(replica.forest, {
    fetch: provider.fetch,
    onError: () => {
      replica.hasRecordingError = true;
    },
  });
}

/** How long PostgreSQL's store repeats an operation. */
const PATIENCE_MS = 60_000;

/** A store that fails while it is away: at once, or when it has not come back for a minute. It may have done what it was asked for. */
function overNetwork(store: Store, replica: Replica, time: VirtualTime): Store {
  const reach = async (operation: () => Promise<unknown>) => {
    if (replica.database === 'there') return operation();
    if (time.below(10) === 0) await operation();
    for (let tries = 0; replica.database === 'silent' && tries < PATIENCE_MS / 1000; tries++) await time.sleep(1000);
    if (replica.database === 'silent' || replica.database === 'refusing')
      throw new StoreError('store_unreachable', 'The database cannot be reached.');
    return operation();
  };
  const away = NETWORKED.map((name) => [
    name,
    (...given: unknown[]) => reach(() => (store[name] as (...given: unknown[]) => Promise<unknown>)(...given)),
  ]);
  return { ...store, ...Object.fromEntries(away) };
}

const NETWORKED = [
  'append',
  'nodes',
  'path',
  'children',
  'bodies',
  'takes',
  'refs',
  'entry',
  'entries',
  'changes',
] as const;

/** After its processes ended without a farewell: others must find them dead, although they have our process id. */
export function buryProcesses({ disk }: Replica): void {
  for (const path of disk.contents().keys())
    if (path.includes('/writers/'))
      disk.damage(path, (bytes) => Buffer.from(bytes.toString().replace(/"started":"[^"]*"/, '"started":"0"')));
}

/** Starts again after the end of a process, or of the power. */
export async function restart(
  replica: Replica,
  { hasPower }: { readonly hasPower: boolean },
  time: VirtualTime,
  provider: SimulatedProvider,
): Promise<void> {
  if (hasPower) replica.disk.kill();
  else replica.disk.restart(time.random);
  buryProcesses(replica);
  await reopen(replica, time, provider);
}

/** Checks everything that must hold. Returns how many assertions that took. */
export async function checkReplica({ name, forest, acknowledged, conversations }: Replica): Promise<number> {
  const ids = [...acknowledged];
  const nodes = await forest.store.nodes(ids);
  const texts = await forest.store.bodies(nodes.map((node) => node?.body ?? ''));
  for (const [at, id] of ids.entries())
    assert.notEqual(texts[at], undefined, `${name}: the acknowledged node ${id} is there, with its text`);
  const problems = (await forest.fsck()).filter(({ code }) => !MOMENT.code.has(code));
  assert.equal(JSON.stringify(problems), '[]', `${name}: fsck finds ${JSON.stringify(problems)}`);
  const kept = conversations.filter((conversation) => conversation.kept);
  if (kept.length > 0) {
    const seen = new Set(await threadTexts(forest));
    for (const { kept: messages } of kept)
      assert.ok(seen.has(toText(messages!)), `${name}: no thread shows ${toText(messages!)}`);
  }
  return ids.length + 1 + kept.length;
}

const toText = (messages: readonly ChatMessage[]) => messages.map(({ content }) => content).join('\n');

/** The texts of each thread, up to each of its messages. */
export async function threadTexts(forest: Forest): Promise<string[]> {
  const { items } = await forest.threads.list({ limit: 1000 });
  const found: string[] = [];
  for (const { head } of items) {
    const texts = (await forest.path(head)).map(({ message }) => message.text);
    for (let end = 1; end <= texts.length; end++) found.push(texts.slice(0, end).join('\n'));
  }
  return found;
}

/** Two replicas have the same records, byte for byte. */
export async function expectSame(one: Replica, other: Replica): Promise<void> {
  const [ours, theirs] = await Promise.all([readRecords(one), readRecords(other)]);
  const only = (list: readonly string[], without: readonly string[]) => {
    const known = new Set(without);
    return list.filter((record) => !known.has(record)).map((record) => record.slice(0, 600));
  };
  const difference = [only(ours, theirs), only(theirs, ours)];
  assert.equal(
    difference.flat().length,
    0,
    `${one.name} and ${other.name} do not agree: ${JSON.stringify(difference, null, 2)}`,
  );
}

/** Every record of a replica as text. */
export async function readRecords({ forest }: Pick<Replica, 'forest'>): Promise<string[]> {
  const peer = storePeer(forest.store);
  await peer.summaries(['']);
  const ids = (await peer.items([''])).map(({ id }) => id).sort();
  const texts: string[] = [];
  for (let start = 0; start < ids.length; ) {
    const { records, done } = await peer.read(ids.slice(start));
    texts.push(...records.map(({ record }) => JSON.stringify(record)));
    start += done;
  }
  return texts;
}
