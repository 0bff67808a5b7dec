/** What must hold for everything that many servers recorded, after a while in which nothing is away. */
import assert from 'node:assert/strict';
import { createForest, memoryStore } from '@skein/forest';
import { createProjector } from '../../src/record/projection/projector.ts';
import { seen } from '../record-exchanges.ts';
import type { Answer, ChatClients } from './chat-clients.ts';
import type { Project, ServerFleet } from './server-fleet.ts';
import type { VirtualTime } from './virtual-time.ts';
import type { WriteLog } from './write-log.ts';

export interface RecordingChecks {
  /** Starts some of the servers that are down, waits, and checks that everything is stored and placed. */
  check(): Promise<void>;
  /** Checks every answer of the run again; with `alone`, also that a single server gives the exchanges the same places. */
  checkAll(options: { readonly alone: boolean }): Promise<void>;
  /** How many assertions held. */
  assertions(): number;
}

/** What a process has not stored for so long may be lost when it is killed. */
const MAY_BE_LOST_MS = 10_000;
/** After this time what waited for a database is stored, and placed. */
const UNTIL_STORED_MS = 60_000;
/** The longest time until an exchange has its place while nothing is away. */
const MOST_PLACING_MS = 60_000;

export function createChecks(
  time: VirtualTime,
  { projects, servers, problems, start }: ServerFleet,
  clients: ChatClients,
  log: WriteLog,
): RecordingChecks {
  /** Answers that are not stored yet, and those that were found. */
  const open = new Map(projects.map((project): [Project, Answer[]] => [project, []]));
  const known = new Map(projects.map((project): [Project, Answer[]] => [project, []]));
  let assertions = 0;

  const checkServers = async (): Promise<void> => {
    const settled = Promise.all(servers.map(({ process }) => process?.fetch.settled()));
    let isSettled = false;
    await Promise.race([settled.then(() => (isSettled = true)), time.sleep(MOST_PLACING_MS)]);
    assert.ok(isSettled, 'each recorder has placed everything');
    for (const { name, process } of servers) {
      if (!process) continue;
      const { exchanges, bytes, isUnplaced } = process.backlog.state();
      const nothing = { exchanges: [], bytes: 0, isUnplaced: false };
      assert.deepEqual({ exchanges, bytes, isUnplaced }, nothing, `${name} keeps nothing`);
      assertions += 1;
    }
    const slowest = log.placedAfterMs.reduce((most, ms) => Math.max(most, ms), 0);
    assert.ok(slowest <= MOST_PLACING_MS, `an exchange had its place after ${slowest} ms`);
  };
  const checkProject = async (project: Project): Promise<void> => {
    const left: Answer[] = [];
    for (const answer of [...open.get(project)!, ...clients.takeAnswers(project)]) {
      const { response, server, process } = answer;
      if (await isShown(project, answer)) known.get(project)!.push(answer);
      // What waits on the disk of a server that is down is stored when it is up again.
      else if (process.isDead && !server.process) left.push(answer);
      else assert.ok(mayBeLost(answer), `${response} of ${project.name} through ${server.name} is stored`);
    }
    open.set(project, left);
  };
  /** Whether an answer is stored; then it must have its place, below everything that its client saw. */
  const isShown = async ({ name, database }: Project, { response, seen: texts }: Answer): Promise<boolean> => {
    const exchange = log.find(response, database.name);
    if (!exchange) return false;
    const store = database.project(name);
    const { node, state, thread = '' } = exchange.placement ?? {};
    assert.equal(state, 'landed', `${response} of ${name} has its place`);
    const forest = createForest(store);
    const path = await forest.path(node!);
    assert.deepEqual(
      path.map(({ message }) => message.text),
      texts,
      `${response} of ${name} is below what its client saw`,
    );
    const found = await forest.threads.get(thread).catch(() => undefined);
    assert.ok(found && (await store.path(found.head)).length > 0, `the thread of ${response} is there, with its head`);
    assertions += 3;
    return true;
  };
  /** Placed by many servers, or at once by a single one: the exchanges have the same places. */
  const checkAgainstOne = async ({ name, database }: Project): Promise<void> => {
    const alone = memoryStore();
    await alone.append(log.exchangeRecords(name, database.name));
    await createProjector(createForest(alone)).run();
    const [ours, theirs] = [await seen(database.project(name)), await seen(alone)];
    assert.deepEqual(ours.landed, theirs.landed, `${name} is placed as by a single server`);
    assert.deepEqual(ours.nodes, theirs.nodes, `${name} has the messages that it has with a single server`);
    assertions += 2;
  };

  return {
    async check() {
      for (const server of servers) if (!server.process && time.below(2) === 0) await start(server);
      await time.sleep(UNTIL_STORED_MS);
      assert.deepEqual(problems, [], 'no recorder reports anything');
      await checkServers();
      for (const project of projects) await checkProject(project);
    },
    async checkAll({ alone }) {
      for (const project of projects) {
        for (const answer of known.get(project)!) assert.ok(await isShown(project, answer));
        if (alone) await checkAgainstOne(project);
      }
    },
    assertions: () => assertions,
  };
}

/** Its process was killed within seconds. */
function mayBeLost({ at, process: { killedAt } }: Answer): boolean {
  return killedAt !== undefined && at > killedAt - MAY_BE_LOST_MS;
}
