/** Many servers that record into a few shared databases, several for each project. */
import assert from 'node:assert/strict';
import {
  createBacklog,
  createForest,
  memoryStore,
  type Placement,
  recordFetch,
  storePeer,
  syncForests,
} from '@skein/forest';
import type { EntryRecord, StoreRecord } from '../../src/model/records.ts';
import type { RecordingBacklog } from '../../src/record/backlog.ts';
import { EXCHANGES, readExchangeRecord } from '../../src/record/exchange.ts';
import { createProjector, sharedProjector } from '../../src/record/projection/projector.ts';
import type { RecordFetch } from '../../src/record/record-fetch.ts';
import { createTestDisk, type TestDisk } from '../../src/store/file/test-disk.ts';
import type { Store } from '../../src/store/store.ts';
import { seen } from '../record-exchanges.ts';
import { ADDRESS, type ChatMessage, createProvider } from './provider.ts';
import { runWorld, type SimulationResult, type World } from './run-world.ts';
import { createSharedDatabase, type ProcessLife, type SharedDatabase, whileAlive } from './shared-database.ts';
import type { VirtualTime } from './virtual-time.ts';

/** How many there are. */
interface ManyServersSize {
  readonly servers: number;
  readonly projects: number;
  readonly databases: number;
}

/** What recording took. */
interface ManyServersFigures {
  readonly exchanges: number;
  /** Operations of the databases. */
  readonly operations: number;
  /** For each exchange whose database and server were there all the time: the simulated milliseconds until it was placed. */
  readonly placedAfterMs: readonly number[];
}

interface Project {
  readonly name: string;
  database: SharedDatabase;
  readonly servers: Server[];
  readonly conversations: Conversation[];
  /** Answers of which it was not checked yet that they are stored and placed. */
  open: Answer[];
  readonly known: Answer[];
}

interface Server {
  readonly name: string;
  readonly project: Project;
  readonly disk: TestDisk;
  readonly aheadMs: number;
  /** Undefined while it is down. */
  process: Process | undefined;
}

interface Process extends ProcessLife {
  readonly store: Store;
  readonly fetch: RecordFetch;
  readonly backlog: RecordingBacklog;
  readonly died: Promise<never>;
  die(): void;
  /** How many requests it is answering. It takes no more when it is closing. */
  busy: number;
  isClosing: boolean;
}

/** A conversation that its client keeps; each request may go to another server. */
interface Conversation {
  readonly messages: ChatMessage[];
  isBusy: boolean;
}

/** An answer that reached its client whole. */
interface Answer {
  readonly response: string;
  readonly seen: readonly string[];
  readonly server: Server;
  readonly process: Process;
  readonly at: number;
  /** Its process died within seconds: it may be lost. */
  mayBeLost: boolean;
}

/** What the databases have of an exchange. */
interface StoredExchange {
  readonly id: string;
  readonly database: string;
  readonly writer: string;
  readonly endedAt: number;
  placedAt?: number;
}

class ServerDied extends Error {}

/** What a process has not stored for so long may be lost when it is killed. */
const MAY_BE_LOST_MS = 10_000;
/** After this time what waited for a database is stored, and placed. */
const UNTIL_STORED_MS = 60_000;
/** How long a process that ends waits until what passed it is stored and placed. */
const CLOSING_MS = 5_000;
/** The longest time until an exchange has its place while nothing is away. */
const MOST_PLACING_MS = 60_000;
/** With these, facts are stored every forty exchanges: in a run there are not thousands of them. */
const SMALL_LIMITS = { steps: 40, every: 40, rows: 100 };

/** Runs one seed. Throws when something does not hold that must hold. */
export async function simulateManyServers(
  seed: number,
  steps: number,
  size: ManyServersSize,
): Promise<SimulationResult & { readonly figures: ManyServersFigures }> {
  let figures: (() => ManyServersFigures) | undefined;
  const result = await runWorld(seed, steps, async (time, trace) => {
    const world = await createWorld(time, trace, size, seed % 2 === 0 ? SMALL_LIMITS : undefined);
    figures = world.figures;
    return world;
  });
  return { ...result, figures: figures!() };
}

async function createWorld(
  time: VirtualTime,
  trace: string[],
  size: ManyServersSize,
  limits: typeof SMALL_LIMITS | undefined,
): Promise<World & { figures(): ManyServersFigures }> {
  const provider = createProvider(time);
  const counts = { faults: 0, assertions: 0, asked: 0 };
  const placedAfterMs: number[] = [];
  const pick = <T>(list: readonly T[]): T => list[time.below(list.length)]!;
  const problems: unknown[] = [];
  /** By the id of the response, or of the exchange. */
  const stored = new Map<string, StoredExchange>();
  const byExchange = new Map<string, StoredExchange>();
  const placements = new Map<string, { readonly clock: string; readonly placement: Placement }>();
  const exchangeRecords = new Map<string, StoreRecord[]>();
  /** When databases were away, and servers ended: what was placed meanwhile does not count as slow. */
  const disturbed: { readonly of: string; readonly from: number; to: number }[] = [];
  const disturb = (of: string) => {
    const one = { of, from: time.elapsedMs(), to: Number.POSITIVE_INFINITY };
    disturbed.push(one);
    return one;
  };

  const onWrite = (database: string, project: string, records: readonly StoreRecord[]) => {
    for (const record of records) {
      if (record.k === 'exchange') {
        const place = `${project} ${database}`;
        exchangeRecords.set(place, [...(exchangeRecords.get(place) ?? []), record]);
        if (record.of === EXCHANGES) noteExchange(database, record);
      } else if (record.k === 'ref' && record.name === 'landed')
        notePlacement(record.key, record.clock, record.value as Placement);
    }
  };
  const noteExchange = (database: string, record: EntryRecord) => {
    const exchange = readExchangeRecord(record);
    if (exchange?.outcome !== 'done' || exchange.responseId === undefined || byExchange.has(exchange.id)) return;
    const { id, responseId, writer } = exchange;
    assert.ok(!stored.has(responseId), `${responseId} is recorded once`);
    const one = { id, database, writer, endedAt: time.elapsedMs() };
    stored.set(responseId, one);
    byExchange.set(id, one);
  };
  const notePlacement = (exchange: string, clock: string, placement: Placement) => {
    const before = placements.get(exchange);
    if (!before || before.clock < clock) placements.set(exchange, { clock, placement });
    const one = byExchange.get(exchange);
    if (!one || one.placedAt !== undefined) return;
    one.placedAt = time.elapsedMs();
    if (
      disturbed.some(
        ({ of, from, to }) => (of === one.database || of === one.writer) && from <= one.placedAt! && to >= one.endedAt,
      )
    )
      return;
    placedAfterMs.push(one.placedAt - one.endedAt);
  };

  const databases = Array.from({ length: size.databases }, (_, at) => createSharedDatabase(`db${at}`, time, onWrite));
  const projects = Array.from({ length: size.projects }, (_, at): Project => {
    const database = databases[at % databases.length]!;
    return { name: `p${at}`, database, servers: [], conversations: [], open: [], known: [] };
  });
  const servers = Array.from({ length: size.servers }, (_, at): Server => {
    const project = projects[at % projects.length]!;
    // The clocks of two servers differ by less than the rules assume.
    const server = {
      name: `s${at}`,
      project,
      disk: createTestDisk(),
      aheadMs: (time.random() - 0.5) * 4000,
      process: undefined,
    };
    project.servers.push(server);
    return server;
  });

  /** Starts a server's process, as soon as its database is there. */
  const start = async (server: Server): Promise<void> => {
    const { project, disk, aheadMs, name } = server;
    while (project.database.state !== 'there') await time.sleep(5000);
    let fail: (error: Error) => void = () => undefined;
    const died = new Promise<never>((_, reject) => {
      fail = reject;
    });
    died.catch(() => undefined);
    const life: ProcessLife = { isDead: false };
    const database = project.database;
    const store = await database.connect(project.name, life, `${name}-${Math.round(time.elapsedMs())}`);
    const forest = createForest(store, { now: () => Date.now() + aheadMs });
    sharedProjector(forest, limits);
    const onError = (error: unknown) => void problems.push(`${name}: ${(error as Error).stack ?? error}`);
    const files = whileAlive(life, disk.files());
    const backlog = createBacklog(forest, { folder: waitingFolder(database), files, onError });
    const fetch = recordFetch(forest, { fetch: provider.fetch, onError, backlog });
    const die = () => {
      life.isDead = true;
      disk.kill();
      // Its heartbeat ends; what it asks the database for is not heard.
      void store.close();
      fail(new ServerDied(name));
    };
    server.process = Object.assign(life, { store, fetch, backlog, died, die, busy: 0, isClosing: false });
  };
  const crash = (server: Server) => {
    const { process, project } = server;
    if (!process) return;
    counts.faults += 1;
    server.process = undefined;
    disturb(process.store.writer);
    for (const answer of project.open)
      if (answer.process === process && answer.at > time.elapsedMs() - MAY_BE_LOST_MS) answer.mayBeLost = true;
    process.die();
  };
  const close = async (server: Server) => {
    const { process } = server;
    if (!process) return;
    process.isClosing = true;
    disturb(process.store.writer);
    while (process.busy > 0) await time.sleep(100);
    // As a server does it that is told to end.
    await Promise.race([process.fetch.settled(), time.sleep(CLOSING_MS)]);
    await process.backlog.close();
    await process.store.close();
    if (server.process !== process) return;
    server.process = undefined;
    process.die();
  };

  /** One request of a client, through any server of the project. */
  const ask = async (project: Project): Promise<void> => {
    const idle = project.conversations.filter(({ isBusy }) => !isBusy);
    const isNew = idle.length === 0 || time.random() < 0.2;
    const conversation: Conversation = isNew ? { messages: [], isBusy: true } : pick(idle);
    if (isNew) project.conversations.push(conversation);
    conversation.isBusy = true;
    try {
      await askNext(project, conversation);
    } finally {
      conversation.isBusy = false;
    }
  };
  const askNext = async (project: Project, { messages }: Conversation): Promise<void> => {
    const there = project.servers.filter(({ process }) => process && !process.isClosing);
    if (there.length === 0) return;
    const server = pick(there);
    const process = server.process!;
    counts.asked += 1;
    // A client asks again what was not answered, or something else.
    if (messages.at(-1)?.role === 'user' && time.random() < 0.5) messages.pop();
    if (messages.at(-1)?.role !== 'user') messages.push({ role: 'user', content: `Question ${counts.asked}` });
    const isStream = time.random() < 0.5;
    process.busy += 1;
    const answer = await Promise.race([readAnswer(process.fetch, messages, isStream), process.died])
      .catch((error: unknown) => {
        if (error instanceof assert.AssertionError) throw error;
        return undefined;
      })
      .finally(() => {
        process.busy -= 1;
      });
    if (!answer) return;
    messages.push(answer.message);
    const texts = messages.map(({ content }) => content);
    const facts = { server, process, at: time.elapsedMs(), mayBeLost: false };
    project.open.push({ response: answer.id, seen: texts, ...facts });
  };

  /** Clients of all projects ask for a while. */
  const traffic = async (rounds: number): Promise<void> => {
    const client = async (project: Project) => {
      for (let round = 0; round < rounds; round++) {
        await time.sleep(time.below(4000));
        await ask(project);
      }
    };
    // One for every second server, and at least three.
    const clientsOf = ({ servers: own }: Project) => Array.from({ length: Math.max(3, Math.ceil(own.length / 2)) });
    await Promise.all(projects.flatMap((project) => clientsOf(project).map(() => client(project))));
  };

  const goAway = async (database: SharedDatabase) => {
    counts.faults += 1;
    const outage = disturb(database.name);
    database.state = pick(['refusing', 'silent'] as const);
    trace[trace.length - 1] += ` ${database.name} ${database.state}`;
    await time.sleep(time.below(3) === 0 ? time.below(1_800_000) : time.below(60_000));
    database.state = 'there';
    outage.to = time.elapsedMs();
  };

  const events: Record<string, () => Promise<void>> = {
    'clients ask': () => traffic(6),
    async 'a database is away'() {
      await Promise.all([traffic(5), goAway(pick(databases))]);
    },
    async 'servers die while a database is away'() {
      const database = pick(databases);
      const those = servers.filter(({ project }) => project.database === database);
      await Promise.all([traffic(5), goAway(database), dieSoon(those, 4)]);
    },
    async 'servers die'() {
      await Promise.all([traffic(5), dieSoon(servers, 10)]);
    },
    async 'servers are restarted, one after the other'() {
      const project = pick(projects);
      await Promise.all([traffic(5), restartAll(project)]);
    },
    async 'a project moves'() {
      if (databases.length < 2) return;
      counts.faults += 1;
      const project = pick(projects);
      const from = project.database;
      const to = pick(databases.filter((database) => database !== from));
      trace[trace.length - 1] += ` ${project.name} from ${from.name} to ${to.name}`;
      const leave = async () => {
        // Half of the time its database was away, and a server died with what waited.
        if (time.below(2) === 0) await Promise.all([goAway(from), dieSoon(project.servers, 3)]);
        await move(project, from, to);
      };
      await Promise.all([traffic(8), leave()]);
    },
    async 'hours pass'() {
      const those = databases.map(({ name }) => disturb(name));
      time.suspend(time.below(3 * 3_600_000));
      for (const one of those) one.to = time.elapsedMs();
      await traffic(2);
    },
  };
  /** One in so many of them dies. */
  const dieSoon = async (those: readonly Server[], oneIn: number): Promise<void> => {
    await time.sleep(time.below(20_000));
    for (const server of those) if (time.below(oneIn) === 0) crash(server);
  };
  const restartAll = async (project: Project): Promise<void> => {
    for (const server of project.servers) {
      await close(server);
      if (!server.process) await start(server);
    }
  };
  /** As docs/postgres.md says it: copied, its servers restarted, copied again; what waited for the old address is moved. */
  const move = async (project: Project, from: SharedDatabase, to: SharedDatabase): Promise<void> => {
    const copy = () =>
      syncForests(storePeer(from.project(project.name)), storePeer(copied(to, project.name)), { direction: 'push' });
    await copy();
    project.database = to;
    for (const server of project.servers) {
      await close(server);
      await moveWaiting(server, waitingFolder(from), waitingFolder(to));
      if (!server.process) await start(server);
    }
    await copy();
  };
  /** A database that is written by the copying program. */
  const copied = (database: SharedDatabase, project: string): Store => {
    const store = database.project(project);
    return {
      ...store,
      async append(records) {
        onWrite(database.name, project, records);
        await store.append(records);
      },
    };
  };

  /** After a while in which nothing is away: everything is stored and placed, and no recorder waits. */
  const check = async (): Promise<void> => {
    for (const server of servers) if (!server.process && time.below(2) === 0) await start(server);
    await time.sleep(UNTIL_STORED_MS);
    assert.deepEqual(problems, [], 'no recorder reports anything');
    const settled = Promise.all(servers.map(({ process }) => process?.fetch.settled()));
    let isSettled = false;
    await Promise.race([settled.then(() => (isSettled = true)), time.sleep(MOST_PLACING_MS)]);
    assert.ok(isSettled, 'each recorder has placed everything');
    for (const server of servers) {
      if (!server.process) continue;
      const { exchanges, bytes, isUnplaced } = server.process.backlog.state();
      assert.deepEqual(
        { exchanges, bytes, isUnplaced },
        { exchanges: [], bytes: 0, isUnplaced: false },
        `${server.name} keeps nothing`,
      );
      counts.assertions += 1;
    }
    const slowest = placedAfterMs.reduce((most, ms) => Math.max(most, ms), 0);
    assert.ok(slowest <= MOST_PLACING_MS, `an exchange had its place after ${slowest} ms`);
    for (const project of projects) await checkProject(project);
  };
  const checkProject = async (project: Project): Promise<void> => {
    const left: Answer[] = [];
    for (const answer of project.open) {
      const isThere = await isShown(project, answer);
      if (isThere) project.known.push(answer);
      // What waits on the disk of a server that is down is stored when it is up again.
      else if (answer.process.isDead && !answer.server.process) left.push(answer);
      else assert.ok(answer.mayBeLost, `${answer.response} of ${project.name} through ${answer.server.name} is stored`);
    }
    project.open = left;
  };
  /** Whether an answer is stored; then it must have its place, below everything that its client saw. */
  const isShown = async ({ name, database }: Project, { response, seen: texts }: Answer): Promise<boolean> => {
    const exchange = stored.get(response);
    if (!exchange) return false;
    const store = database.project(name);
    const { node, state, thread = '' } = placements.get(exchange.id)?.placement ?? {};
    assert.equal(state, 'landed', `${response} of ${name} has its place`);
    const forest = createForest(store);
    const path = await forest.path(node!);
    assert.deepEqual(
      path.map(({ message }) => message.text),
      texts,
      `${response} of ${name} is below what its client saw`,
    );
    const { head } = await forest.threads.get(thread);
    assert.ok((await store.path(head)).length > 0, `the thread of ${response} has a head`);
    counts.assertions += 3;
    return true;
  };
  /** Placed by many servers, or at once by a single one: the exchanges have the same places. */
  const checkAgainstOne = async (project: Project): Promise<void> => {
    const place = `${project.name} ${project.database.name}`;
    const alone = memoryStore();
    await alone.append(exchangeRecords.get(place) ?? []);
    await createProjector(createForest(alone)).run();
    const [ours, theirs] = [await seen(project.database.project(project.name)), await seen(alone)];
    assert.deepEqual(ours.landed, theirs.landed, `${project.name} is placed as by a single server`);
    assert.deepEqual(ours.nodes, theirs.nodes, `${project.name} has the messages that it has with a single server`);
    counts.assertions += 2;
  };

  for (const server of servers) await time.finish(start(server));
  return {
    counts: () => ({ faults: counts.faults + provider.faults(), assertions: counts.assertions + provider.extended() }),
    figures: () => ({
      exchanges: stored.size,
      operations: databases.reduce((sum, database) => sum + database.operations(), 0),
      placedAfterMs,
    }),
    async step() {
      const name = time.random() < 0.3 ? 'clients ask' : pick(Object.keys(events));
      trace.push(name);
      await events[name]!();
      await check();
      trace[trace.length - 1] += ` (${stored.size} exchanges, ${Math.round(time.elapsedMs())} ms)`;
    },
    async end() {
      trace.push('the end');
      for (const server of servers) if (!server.process) await start(server);
      await traffic(2);
      await check();
      for (const project of projects) {
        for (const answer of project.known) assert.ok(await isShown(project, answer));
        if (!limits) await checkAgainstOne(project);
      }
      for (const server of servers) await close(server);
    },
  };
}

const waitingFolder = ({ name }: SharedDatabase) => `/waiting-for-${name}`;

/** `skein serve` names folders with what waits for another address, and the operator moves them. */
async function moveWaiting({ disk }: Server, from: string, to: string): Promise<void> {
  const files = disk.files();
  for (const name of await files.list(from)) await files.rename(`${from}/${name}`, `${to}/${name}`);
}

async function readAnswer(
  fetch: RecordFetch,
  messages: readonly ChatMessage[],
  stream: boolean,
): Promise<{ readonly id: string; readonly message: ChatMessage } | undefined> {
  const headers = { 'content-type': 'application/json', authorization: 'Bearer sk-simulated' };
  const body = JSON.stringify({ model: 'gpt-5.5', messages, ...(stream && { stream }) });
  const response = await fetch(ADDRESS, { method: 'POST', headers, body });
  const text = await response.text();
  if (!response.ok) return undefined;
  if (!stream) {
    const { id, choices } = JSON.parse(text);
    return { id, message: choices[0].message };
  }
  const chunks = [...text.matchAll(/^data: (\{.*\})$/gm)].map(([, json = '']) => JSON.parse(json));
  const content = chunks.map(({ choices }) => choices[0].delta.content ?? '').join('');
  return { id: chunks[0].id, message: { role: 'assistant', content } };
}
