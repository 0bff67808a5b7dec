/** Three machines: their disks, clocks, processes and the network between them. */
import assert from 'node:assert/strict';
import { isSkeinError, user } from '@skein/core';
import { answerSync, meetForest, ROOT, remotePeer, type SyncPeer, storePeer, syncForests } from '@skein/forest';
import { sharedProjector } from '../../src/record/projection/projector.ts';
import { ADDRESS, createProvider } from './provider.ts';
import {
  buryProcesses,
  type Conversation,
  checkReplica,
  expectSame,
  openReplica,
  type Replica,
  readRecords,
  reopen,
  restart,
  threadTexts,
} from './replica.ts';
import { NetworkError, runWorld, type SimulationResult, type World, waitDespiteFaults } from './run-world.ts';
import { USUAL_TURN_MS, type VirtualTime } from './virtual-time.ts';

/** Runs one seed. Throws when something does not hold that must hold. */
export function simulate(seed: number, steps = 60): Promise<SimulationResult> {
  return runWorld(seed, steps, createWorld);
}

async function createWorld(time: VirtualTime, trace: string[]): Promise<World> {
  const provider = createProvider(time);
  const replicas: Replica[] = [];
  for (const name of ['A', 'B', 'C']) replicas.push(await time.finish(openReplica(name, time, provider)));
  const counts = { faults: 0, assertions: 0 };
  const pick = <T>(list: readonly T[]): T => list[time.below(list.length)]!;
  const others = (replica: Replica) => replicas.filter((other) => other !== replica);
  const check = async (replica: Replica) => {
    provider.verdict();
    counts.assertions += await checkReplica(replica);
  };

  /** Work that a disk without space or power may refuse. */
  const work = async (replica: Replica): Promise<string> => {
    const name = pick(Object.keys(OPERATIONS));
    trace[trace.length - 1] += ` ${name}…`;
    await OPERATIONS[name]!(replica, time, pick);
    return name;
  };

  const events: Record<string, (replica: Replica) => Promise<string>> = {
    work: async (replica) => `${await work(replica)} ${await work(replica)}`,
    async 'work side by side'(replica) {
      const done = await Promise.all([work(replica), work(replica), work(pick(replicas))]);
      return done.join(' ');
    },
    async 'a process dies'(replica) {
      const die = async () => {
        await time.sleep(time.below(400));
        counts.faults += 1;
        await restart(replica, { hasPower: true }, time, provider);
      };
      await Promise.all([waitDespiteFaults([work(replica), work(replica)]), die()]);
      return '';
    },
    /** Again and again: each time, it may leave a part of another batch. */
    async 'the power fails'(replica) {
      for (let times = 1 + time.below(4); times > 0; times--) {
        // Work takes some calls, with answers of the provider more.
        replica.disk.failAt(replica.disk.calls() + 1 + time.below(time.below(2) === 0 ? 8 : 60));
        await waitDespiteFaults([work(replica), work(replica), work(replica)]);
        counts.faults += 1;
        await restart(replica, { hasPower: false }, time, provider);
        await check(replica);
      }
      return '';
    },
    async 'the disk is full'(replica) {
      counts.faults += 1;
      replica.disk.setSpace(time.below(3000));
      await waitDespiteFaults([work(replica), work(replica)]);
      replica.disk.setSpace(Infinity);
      return '';
    },
    async 'the disk is slow'(replica) {
      counts.faults += 1;
      time.setTurnMs(time.below(300));
      const done = await work(replica);
      time.setTurnMs(USUAL_TURN_MS);
      return done;
    },
    async 'bits flip'(replica) {
      counts.faults += 1;
      return flipBits(replica, pick(others(replica)));
    },
    async 'the clock jumps'(replica) {
      counts.faults += 1;
      replica.aheadMs += (time.random() - 0.5) * 2 * 86_400_000;
      return String(Math.round(replica.aheadMs));
    },
    async 'hours pass'() {
      time.suspend(time.below(6 * 3_600_000));
      return '';
    },
    async 'it is closed and opened'(replica) {
      await replica.fetch.settled();
      await replica.forest.close();
      await reopen(replica, time, provider);
      return '';
    },
    async 'it is packed'(replica) {
      await replica.fetch.settled();
      // Power that failed may leave a sign of life that cannot be read. It counts for a minute.
      const refused = await replica.forest.pack().catch((error) => error);
      if (refused instanceof Error && !isSkeinError(refused, 'store_in_use')) throw refused;
      return refused instanceof Error ? 'not yet' : '';
    },
    async 'the network fails'(replica) {
      const other = pick(others(replica));
      const onFault = () => {
        counts.faults += 1;
      };
      const alter = (text: string) => {
        // What is wrong with a record may be stored; what is wrong with anything else ends the meeting.
        if (time.below(text.includes('"record":') ? 3 : 20) > 0) return text;
        onFault();
        return flipLetter(text, time);
      };
      const peer = unreliable(connect(other, alter), time, onFault);
      const done = await syncForests(storePeer(replica.forest.store), peer, { direction: 'both' }).catch(
        (error) => error,
      );
      const isRefused = done instanceof NetworkError || isSkeinError(done, 'sync_refused', 'sync_version');
      if (done instanceof Error && !isRefused) throw done;
      await check(other);
      return `${other.name} ${done instanceof Error ? done.message : `${done.sent}/${done.received}`}`;
    },
    async meet(replica) {
      const other = pick(others(replica));
      await meet(replica, other);
      return other.name;
    },
  };

  /** Damages a segment, looks whether it is found and whether it spreads, and mends it. */
  const flipBits = async (replica: Replica, other: Replica): Promise<string> => {
    await replica.fetch.settled();
    // The pieces of a stream that broke off are written a moment later.
    await time.sleep(1000);
    const readProblems = async () => (await replica.forest.fsck()).map((problem) => JSON.stringify(problem));
    const [records, problems] = [await readRecords(replica), new Set(await readProblems())];
    const paths = [...replica.disk.contents()].filter(
      ([path, { length }]) => path.includes('/segments/') && length > 0,
    );
    if (paths.length === 0) return 'nothing to flip';
    await replica.forest.close();
    const [path, before] = pick(paths);
    const at = time.below(before.length);
    replica.disk.damage(path, (bytes) => {
      bytes[at]! ^= 1 << time.below(8);
      return bytes;
    });
    await reopen(replica, time, provider);
    const left = new Set(await readRecords(replica));
    const lost = records.filter((record) => !left.has(record)).length;
    const named = (await readProblems()).filter((problem) => !problems.has(problem)).length;
    assert.ok(lost === 0 || named > 0, `${replica.name}: fsck does not name what was damaged`);
    await syncForests(storePeer(replica.forest.store), connect(other), { direction: 'push' });
    await checkUnharmed(replica, other);
    replica.disk.kill();
    buryProcesses(replica);
    replica.disk.damage(path, () => before);
    await reopen(replica, time, provider);
    return `${path.slice(-24)}:${at}, ${lost} lost, ${named} named`;
  };

  const checkUnharmed = async (damaged: Replica, other: Replica) => {
    try {
      await check(other);
      await threadTexts(other.forest);
    } catch (error) {
      const what = `the damage of ${damaged.name} reached ${other.name}`;
      throw new Error(`${what}: ${(error as Error).message}`, { cause: error });
    }
  };

  const meet = async (replica: Replica, other: Replica) => {
    await Promise.all([replica.fetch.settled(), other.fetch.settled()]);
    // The pieces of a stream that broke off are written a moment later.
    await time.sleep(1000);
    const meetOnce = () => meetForest(replica.forest, connect(other), other.name, { direction: 'both' });
    await meetOnce();
    // What arrived without a place gets one when the recorders look the next time, and that travels, too.
    await Promise.all([replica, other].map(({ forest }) => sharedProjector(forest).run()));
    await meetOnce();
    const { sent, received, conflicts } = await meetOnce();
    const nothing = { sent: 0, received: 0, conflicts: [] };
    assert.deepEqual({ sent, received, conflicts }, nothing, 'a second meeting sends nothing');
    await expectSame(replica, other);
    counts.assertions += 2;
  };

  return {
    counts: () => ({ faults: counts.faults + provider.faults(), assertions: counts.assertions + provider.extended() }),
    async step() {
      const replica = pick(replicas);
      const name = time.random() < 0.4 ? 'work' : pick(Object.keys(events));
      trace.push(`${replica.name}: ${name}`);
      const what = await events[name]!(replica);
      trace[trace.length - 1] += ` ${what} (${replica.disk.calls()} calls, ${Math.round(time.elapsedMs())} ms)`;
      await check(replica);
    },
    /** All meet around the circle, twice: then each has heard of everything. */
    async end() {
      for (let round = 0; round < 2 * replicas.length; round++) {
        trace.push(`the end, meeting ${round}`);
        await meet(replicas[round % 3]!, replicas[(round + 1) % 3]!);
      }
      for (const replica of replicas.slice(1)) await expectSame(replicas[0]!, replica);
      for (const replica of replicas) {
        for (const other of replicas) for (const id of other.acknowledged) replica.acknowledged.add(id);
        await check(replica);
        await replica.forest.close();
      }
    },
  };
}

/** A connection on which everything passes as text, which may be altered. */
function connect({ forest }: Replica, change: (text: string) => string = (text) => text): SyncPeer {
  const peer = storePeer(forest.store);
  return remotePeer(async (call) =>
    JSON.parse(change(JSON.stringify(await answerSync(peer, JSON.parse(change(JSON.stringify(call))))))),
  );
}

/** A connection that is slow, breaks before or after a call, or repeats a call. */
function unreliable(peer: SyncPeer, time: VirtualTime, onFault: () => void): SyncPeer {
  const pass = async <T>(call: () => Promise<T>): Promise<T> => {
    await time.sleep(time.below(500));
    const fault = time.below(20);
    if (fault < 3) onFault();
    if (fault === 0) throw new NetworkError('The connection broke before the call.');
    if (fault === 1) await call();
    const result = await call();
    if (fault === 2) throw new NetworkError('The connection broke before the answer.');
    return result;
  };
  return {
    ...peer,
    version: () => pass(() => peer.version()),
    summaries: (prefixes) => pass(() => peer.summaries(prefixes)),
    items: (prefixes) => pass(() => peer.items(prefixes)),
    read: (ids) => pass(() => peer.read(ids.slice(0, 20))),
    write: (records) => pass(() => peer.write(records)).then(() => undefined),
  };
}

/** Changes one letter of a name or a text, so that it stays JSON. The quotes of a message that is text in JSON are escaped. */
function flipLetter(text: string, time: VirtualTime): string {
  const at = [...text.matchAll(/(?<=[a-z]{2})[a-z](?=[a-z]*\\*")/g)].map(({ index }) => index);
  const one = at[time.below(at.length)];
  return one === undefined ? text : `${text.slice(0, one)}${text[one] === 'q' ? 'z' : 'q'}${text.slice(one + 1)}`;
}

type Operation = (replica: Replica, time: VirtualTime, pick: <T>(list: readonly T[]) => T) => Promise<void>;

const OPERATIONS: Readonly<Record<string, Operation>> = {
  async append({ forest, acknowledged }, time, pick) {
    const below = acknowledged.size > 0 && time.random() < 0.7 ? pick([...acknowledged]) : ROOT;
    // Several at once are one batch, of which power that fails may leave a part.
    const texts = Array.from({ length: 1 + time.below(12) }, () =>
      `Message ${time.below(1e6)} `.repeat(1 + time.below(9)),
    );
    acknowledged.add(
      await forest.append(
        below,
        texts.map((text) => user(text)),
      ),
    );
  },
  async begin({ forest, acknowledged }, time) {
    const { head } = await forest.threads.begin([user(`Opening ${time.below(1000)}`)]);
    acknowledged.add(head);
  },
  async change({ forest }, time, pick) {
    const { items } = await forest.threads.list({ limit: 50 });
    if (items.length === 0) return;
    const { id, head } = pick(items);
    const text = `Text ${time.below(100)}`;
    const changes = [
      () => forest.threads.rename(id, text),
      () => forest.threads.tag(id, { [`tag${time.below(3)}`]: time.random() < 0.5 }),
      () => forest.note(head, text),
      () => forest.threads.fork(id),
    ];
    await pick<() => Promise<unknown>>(changes)();
  },
  async generate({ forest, engine, acknowledged }, time) {
    const question = `Question ${time.below(100_000)}`;
    const { id, head } = await forest.threads.begin([user(`${question}, turn 1`)]);
    acknowledged.add(head);
    for (let turn = 1; turn <= 3; turn++) {
      const thread = await forest.threads.get(id);
      const next = turn === 1 ? thread : await forest.threads.append(id, [user(`${question}, turn ${turn}`)]);
      const generation = await engine.generate(next.head, { model: 'openai-chat/gpt-5.5', thread: id });
      const { branches } = await generation.result;
      if (branches[0]!.status !== 'done') return;
      acknowledged.add(branches[0]!.head);
    }
  },
  async resume({ engine, acknowledged }) {
    const { items } = await engine.list({ limit: 20 });
    const open = items.find(({ status }) => status === 'aborted' || status === 'failed');
    if (!open) return;
    // Another one may have resumed it meanwhile.
    const resumed = await engine.resume(open.id).catch((error) => {
      if (!isSkeinError(error, 'generation_running')) throw error;
    });
    const branch = (await resumed?.result)?.branches[0];
    if (branch?.status === 'done') acknowledged.add(branch.head);
  },
  converse,
};

/** Asks in a conversation that the client keeps itself, through the `fetch` of its machine. */
export async function converse(replica: Replica, time: VirtualTime, pick: <T>(list: readonly T[]) => T): Promise<void> {
  const idle = replica.conversations.filter(({ isBusy }) => !isBusy);
  const isNew = idle.length === 0 || time.random() < 0.4;
  const conversation: Conversation = isNew ? { messages: [], isBusy: true } : pick(idle);
  if (isNew) replica.conversations.push(conversation);
  conversation.isBusy = true;
  await askNext(replica, conversation, time).finally(() => {
    conversation.isBusy = false;
  });
}

async function askNext(replica: Replica, conversation: Conversation, time: VirtualTime): Promise<void> {
  const { messages } = conversation;
  if (messages.at(-1)?.role === 'user') messages.pop();
  messages.push({ role: 'user', content: `Call ${time.below(100_000)}` });
  const body = JSON.stringify({ model: 'gpt-5.5', messages });
  const headers = { 'content-type': 'application/json', authorization: 'Bearer sk-simulated' };
  const { fetch } = replica;
  const response = await fetch(ADDRESS, { method: 'POST', headers, body });
  const answer = (await response.json()) as { choices?: { message: { role: string; content: string } }[] };
  await fetch.settled();
  if (!answer.choices) return;
  messages.push(answer.choices[0]!.message);
  // A process that died meanwhile promised nothing.
  if (!(await replica.isAtRisk()) && fetch === replica.fetch) conversation.kept = [...messages];
}
