/** Two servers: their HTTP API, proxy and gateway over simulated disks, clocks and networks. */
import assert from 'node:assert/strict';
import { type Config, loadConfig } from '@skein/agents';
import { remotePeer, storePeer, syncForests } from '@skein/forest';
import { createServer, type Server } from '@skein/server';
import { createProvider } from '../../../forest/test/simulator/provider.ts';
import {
  checkReplica,
  expectSame,
  openReplica,
  type Replica,
  reopen,
  restart,
} from '../../../forest/test/simulator/replica.ts';
import {
  NetworkError,
  runWorld,
  type SimulationResult,
  type World,
  waitDespiteFaults,
} from '../../../forest/test/simulator/run-world.ts';
import { converse } from '../../../forest/test/simulator/simulate.ts';
import { USUAL_TURN_MS, type VirtualTime } from '../../../forest/test/simulator/virtual-time.ts';
import { createNetwork } from './network.ts';
import { createThinkingProvider } from './thinking-provider.ts';
import { checkPaths, checkTalks, listenTo, type Talk, talk, useProxy } from './traffic.ts';

/** A machine with a server, and what its clients were told. */
interface Machine {
  readonly replica: Replica;
  server: Server;
  /** The titles of acknowledged threads; undefined after a change whose answer was lost or refused. */
  readonly titles: Map<string, string | undefined>;
  readonly renames: Map<string, { running: number; areMixed: boolean }>;
  readonly talks: Talk[];
}

// biome-ignore lint/suspicious/noExplicitAny: answers are looked at field by field
type Answer = { readonly status: number; readonly body: any };

const MODEL = 'openai-chat/gpt-5.5';
/** After this time what waited for the store is stored, and placed: the next try is due. */
const UNTIL_STORED_MS = 60_000;
/** So many requests of the gateway cannot all fail: machines are not away that often. */
const MOST_WITHOUT_ANSWER = 20;

/** Runs one seed. Throws when something does not hold that must hold. */
export async function simulateServer(seed: number, steps = 40): Promise<SimulationResult> {
  const { config } = await loadConfig({ cwd: '/', env: {}, home: '/nonexistent' });
  return runWorld(seed, steps, (time, trace) => createWorld(time, config, trace));
}

async function createWorld(time: VirtualTime, config: Config, trace: string[]): Promise<World> {
  const provider = createProvider(time);
  const thinker = createThinkingProvider(time);
  const network = createNetwork(time);
  const counts = { faults: 0, assertions: 0 };
  let asked = 0;
  const pick = <T>(list: readonly T[]): T => list[time.below(list.length)]!;
  const serve = (replica: Replica) => {
    const { name, forest } = replica;
    const server = createServer({
      forest,
      config,
      env: {
        ...{ OPENAI_API_KEY: 'sk-simulated', ANTHROPIC_API_KEY: 'sk-simulated' },
        OPENAI_BASE_URL: `http://openai-of-${name}/v1`,
        ANTHROPIC_BASE_URL: `http://anthropic-of-${name}`,
      },
      generate: { random: time.random, fetch: provider.fetch },
      timeouts: { grace: 20 },
      waiting: { folder: '/waiting', files: replica.disk.files() },
      log: {
        info: () => undefined,
        error: (event) => {
          if (event === 'recording-failed') replica.hasRecordingError = true;
        },
      },
    });
    network.serve(name, server.handler);
    network.serve(`openai-of-${name}`, listenTo(provider));
    network.serve(`anthropic-of-${name}`, thinker.handler);
    useProxy(replica, network, time);
    replica.isAtRisk = async () => {
      const health = (await (await server.fetch(toRequest('GET', '/health'))).json()) as { problems: string[] };
      return (
        replica.hasRecordingError || health.problems.some((problem) => /in memory|and memory|their place/.test(problem))
      );
    };
    return server;
  };
  const machines: Machine[] = [];
  for (const name of ['a', 'b']) {
    const replica = await time.finish(openReplica(name, time, provider));
    machines.push({ replica, server: serve(replica), titles: new Map(), renames: new Map(), talks: [] });
  }

  /** One request, whose way there and back may break. Every refusal is a problem document. */
  const ask = async ({ server }: Machine, method: string, path: string, body?: unknown): Promise<Answer> => {
    const breaks = time.random();
    if (breaks < 0.03) throw lost('on its way');
    const response = await server.fetch(toRequest(method, path, body));
    const text = await response.text();
    assert.match(response.headers.get('content-type') ?? '', /json/, `${method} ${path} answers with JSON: ${text}`);
    const answer = { status: response.status, body: JSON.parse(text) };
    if (answer.status >= 400) assert.equal(typeof answer.body.code, 'string', `a problem has a code: ${text}`);
    // In JSON, a line feed is written as two letters.
    assert.doesNotMatch(text, /(\n|\\n)\s+at /, 'no answer has a stack');
    counts.assertions += 2;
    if (breaks > 0.97) throw lost('on its way back');
    return answer;
  };
  const lost = (where: string) => {
    counts.faults += 1;
    return new NetworkError(`The connection broke ${where}.`);
  };

  const operations: Record<string, (machine: Machine) => Promise<void>> = {
    async 'writes a message'(machine) {
      const known = [...machine.replica.acknowledged];
      const parent = known.length > 0 && time.random() < 0.7 ? pick(known) : 'root';
      const messages = [question(`Question ${time.below(1e9)}?`)];
      const { status, body } = await ask(machine, 'POST', `/nodes/${parent}/messages`, { messages });
      if (status < 300) machine.replica.acknowledged.add(body.id);
    },
    async 'begins a thread'(machine) {
      const title = `Title ${time.below(1e9)}`;
      const messages = [question(`Question ${time.below(1e9)}?`)];
      const { status, body } = await ask(machine, 'POST', '/threads', { title, messages });
      if (status < 300) machine.titles.set(body.id, title);
    },
    async 'renames a thread'(machine) {
      const known = [...machine.titles.keys()];
      if (known.length === 0) return;
      const [thread, title] = [pick(known), `Title ${time.below(1e9)}`];
      const renames = machine.renames.get(thread) ?? { running: 0, areMixed: false };
      machine.renames.set(thread, renames);
      machine.titles.set(thread, undefined);
      // Of two changes at once, either may be the last.
      renames.areMixed ||= renames.running > 0;
      renames.running += 1;
      let isKnown = false;
      try {
        const { status } = await ask(machine, 'PATCH', `/threads/${thread}`, { title });
        isKnown = status < 300 && !renames.areMixed;
      } finally {
        renames.running -= 1;
        renames.areMixed &&= renames.running > 0;
      }
      if (isKnown) machine.titles.set(thread, title);
    },
    async 'asks a model'(machine) {
      const known = [...machine.titles.keys()];
      if (known.length === 0) return;
      const { status, body } = await ask(machine, 'POST', '/generations', { thread: pick(known), model: MODEL });
      if (status >= 300) return;
      for (let polls = 0; polls < 20; polls++) {
        await time.sleep(1000);
        const { body: state } = await ask(machine, 'GET', `/generations/${body.id}`);
        if (state.status === 'done') machine.replica.acknowledged.add(state.branches[0].head);
        if (state.status !== 'running') return;
      }
    },
    'asks through the proxy': ({ replica }) => converse(replica, time, pick),
    'asks through the gateway'({ replica, talks }) {
      asked += 1;
      return talk(replica, talks, network, time);
    },
    async 'reads lists'(machine) {
      for (const path of ['/threads?limit=20', '/search?q=Question', '/generations', '/recordings'])
        await ask(machine, 'GET', path);
    },
    async 'asks nonsense'(machine) {
      const path = pick(['/nodes/nothing', '/threads/nothing', '/changes/x', '/threads?after=nonsense']);
      const wasThere = machine.replica.database === 'there';
      const { status } = await ask(machine, pick(['GET', 'PATCH']), path, undefined);
      const isUnreachable = !wasThere && status === 503;
      assert.ok((status >= 400 && status < 500) || isUnreachable, `${path} is refused, with ${status}`);
    },
  };

  const openAgain = async (machine: Machine) => {
    await machine.replica.forest.close();
    await reopen(machine.replica, time, provider);
    machine.server = serve(machine.replica);
  };
  const act = (machine: Machine) => actAs(machine, pick(Object.keys(operations)));
  const actAs = async (machine: Machine, name: string) => {
    trace[trace.length - 1] += ` ${machine.replica.name} ${name}…`;
    try {
      await operations[name]!(machine);
    } catch (error) {
      if (!(error instanceof NetworkError)) throw error;
    }
  };
  const crash = async (machine: Machine, hasPower: boolean) => {
    counts.faults += 1;
    const { replica } = machine;
    for (const host of [replica.name, `openai-of-${replica.name}`, `anthropic-of-${replica.name}`]) network.cut(host);
    await restart(replica, { hasPower }, time, provider);
    machine.server = serve(replica);
  };

  const events: Record<string, (machine: Machine) => Promise<void>> = {
    async 'clients work'(machine) {
      await Promise.all([act(machine), act(machine), act(pick(machines))]);
    },
    async 'the process dies'(machine) {
      const die = async () => {
        await time.sleep(time.below(400));
        await crash(machine, true);
      };
      await Promise.all([waitDespiteFaults([act(machine), act(machine)]), die()]);
    },
    /** Its disk is slow, so that an answer would be lost that is not stored before it is sent. */
    async 'the process dies right after an answer'(machine) {
      time.setTurnMs(time.below(1000));
      const ask = () => actAs(machine, 'asks through the gateway');
      const going = [ask(), ask(), ask()];
      await Promise.race(going);
      await crash(machine, true);
      await Promise.all(going);
      time.setTurnMs(USUAL_TURN_MS);
    },
    async 'the power fails'(machine) {
      const { disk } = machine.replica;
      disk.failAt(disk.calls() + 1 + time.below(60));
      await waitDespiteFaults([act(machine), act(machine), act(machine)]);
      await crash(machine, false);
    },
    async 'the disk is full'(machine) {
      counts.faults += 1;
      machine.replica.disk.setSpace(time.below(3000));
      await Promise.all([act(machine), act(machine)]);
      machine.replica.disk.setSpace(Infinity);
      await time.sleep(UNTIL_STORED_MS);
    },
    async 'the server is closed and opened'(machine) {
      await machine.server.close();
      await openAgain(machine);
    },
    /** For minutes or hours. Nothing of what passes meanwhile may be lost, whatever becomes of the server. */
    async 'the database is away'(machine) {
      counts.faults += 1;
      const { replica } = machine;
      const hadRecordingError = replica.hasRecordingError;
      replica.database = time.random() < 0.5 ? 'refusing' : 'silent';
      const rounds = 1 + time.below(4);
      for (let round = 0; round < rounds; round++) {
        await Promise.all([actAs(machine, 'asks through the proxy'), act(machine)]);
        await time.sleep(time.below(2) === 0 ? time.below(60_000) : time.below(3_600_000));
      }
      const end = pick(['it comes back', 'the server is closed', 'the process dies']);
      trace[trace.length - 1] += ` ${end}`;
      if (end === 'the server is closed') await machine.server.close();
      replica.database = 'there';
      if (end === 'the server is closed') await openAgain(machine);
      if (end === 'the process dies') await crash(machine, true);
      await time.sleep(UNTIL_STORED_MS);
      assert.ok(hadRecordingError || !replica.hasRecordingError, `${replica.name}: an outage loses no recording`);
      counts.assertions += 1;
    },
    async 'the machines meet over HTTP'(machine) {
      await meet(machine);
    },
    async 'hours pass'() {
      // An answer that stalls for hours is cut, and then sent as far as it came.
      await time.sleep(UNTIL_STORED_MS);
      time.suspend(time.below(6 * 3_600_000));
    },
  };

  /** The other machine is asked over HTTP; a call that breaks leaves the rest for the next time. */
  const meet = async (machine: Machine) => {
    const other = machines.find((one) => one !== machine)!;
    const peer = remotePeer(async (call) => {
      const { status, body } = await ask(other, 'POST', '/sync', call);
      assert.equal(status, 200, JSON.stringify(body));
      return body;
    });
    try {
      await syncForests(storePeer(machine.replica.forest.store), peer, { direction: 'both' });
    } catch (error) {
      if (error instanceof NetworkError || (error as Error).cause instanceof NetworkError) return false;
      throw error;
    }
    return true;
  };

  /** What clients were told is there, as they read it. */
  const check = async (machine: Machine) => {
    provider.verdict();
    thinker.verdict();
    counts.assertions += await checkReplica(machine.replica);
    counts.assertions += await checkTalks(machine.replica, machine.talks, thinker);
    for (const [thread, title] of machine.titles) {
      const response = await machine.server.fetch(toRequest('GET', `/threads/${thread}`));
      assert.equal(response.status, 200, `${machine.replica.name}: the acknowledged thread ${thread} is there`);
      const shown = (await response.json()) as { title?: string };
      if (title !== undefined) assert.equal(shown.title, title, `${machine.replica.name}: the title of ${thread}`);
      counts.assertions += 1;
    }
  };

  return {
    counts: () => ({
      faults: counts.faults + provider.faults() + thinker.faults() + network.faults(),
      assertions: counts.assertions + provider.extended() + thinker.assertions(),
    }),
    close: network.restore,
    async step() {
      const machine = pick(machines);
      const name = time.random() < 0.5 ? 'clients work' : pick(Object.keys(events));
      trace.push(`${machine.replica.name}: ${name}`);
      await events[name]!(machine);
      for (const one of machines) await check(one);
    },
    /** At the end the machines meet until nothing breaks, and agree. */
    async end() {
      trace.push('the end');
      const answered = machines.flatMap(({ talks }) => talks).reduce((sum, talk) => sum + talk.acknowledged.size, 0);
      // Whoever gets only errors notices nothing else.
      assert.ok(answered > 0 || asked < MOST_WITHOUT_ANSWER, `the gateway answered none of ${asked} requests`);
      counts.assertions += 1;
      for (const machine of machines) {
        await machine.server.close();
        counts.assertions += await checkPaths(machine.replica, machine.talks);
      }
      while (!(await meet(machines[0]!)));
      await expectSame(machines[0]!.replica, machines[1]!.replica);
      counts.assertions += 1;
    },
  };
}

function toRequest(method: string, path: string, body?: unknown): Request {
  return new Request(`http://127.0.0.1/api/v1${path}`, {
    method,
    headers: { host: '127.0.0.1', 'content-type': 'application/json' },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
}

const question = (text: string) => ({ role: 'user', content: [{ type: 'text', text }] });
