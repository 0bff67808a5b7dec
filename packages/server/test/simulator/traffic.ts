/** Clients of a machine's proxy and gateway, on a simulated network, and what must hold for them. */
import assert from 'node:assert/strict';
import type { RequestListener } from 'node:http';
import { reproject } from '@skein/forest';
import { readTexts } from '../../../forest/src/record/exchange.ts';
import type { SimulatedProvider } from '../../../forest/test/simulator/provider.ts';
import { type Replica, threadTexts } from '../../../forest/test/simulator/replica.ts';
import { NetworkError } from '../../../forest/test/simulator/run-world.ts';
import type { VirtualTime } from '../../../forest/test/simulator/virtual-time.ts';
import { CLIENTS, type Client } from '../gateway/clients.ts';
import { CLIENT_PROTOCOLS, READERS } from '../gateway/readers.ts';
import type { SimulatedNetwork } from './network.ts';
import type { ThinkingProvider } from './thinking-provider.ts';

/** A conversation through the gateway, as its client has it. */
export interface Talk {
  readonly client: Client;
  readonly name: string;
  readonly texts: string[];
  /** The last question has no answer yet, and is asked again. */
  isWaiting: boolean;
  isBusy: boolean;
  /** The exchanges whose answers arrived whole, with the text of each. */
  readonly acknowledged: Map<string, string>;
}

const HEADERS = { 'content-type': 'application/json', 'anthropic-version': '2023-06-01', 'x-api-key': 'skein' };

/** Sends the requests of a recorded client through the proxy. What it acknowledged is stored a moment later. */
export function useProxy(replica: Replica, network: SimulatedNetwork, time: VirtualTime): void {
  const fetch = async (address: unknown, init?: RequestInit): Promise<Response> => {
    const { pathname } = new URL(String(address));
    const headers = init?.headers as Record<string, string>;
    const path = `/proxy/openai-chat${pathname}`;
    const { status, body } = await ask(network, replica.name, path, headers, String(init?.body));
    return new Response(body, { status });
  };
  replica.fetch = Object.assign(fetch, { settled: () => time.sleep(10_000) }) as unknown as Replica['fetch'];
}

/** Asks the next question of a conversation through the gateway, or the last one again. */
export async function talk(
  replica: Replica,
  talks: Talk[],
  network: SimulatedNetwork,
  time: VirtualTime,
): Promise<void> {
  const free = talks.filter(({ isBusy }) => !isBusy);
  const found = time.random() < 0.4 ? undefined : free[time.below(free.length)];
  const protocol = CLIENT_PROTOCOLS[time.below(CLIENT_PROTOCOLS.length)]!;
  const one: Talk = found ?? {
    client: CLIENTS[protocol](),
    name: `Talk ${time.below(1e9)}`,
    ...{ texts: [], isWaiting: false, isBusy: false, acknowledged: new Map<string, string>() },
  };
  if (!found) talks.push(one);
  if (!one.isWaiting) {
    const question = `${one.name}, turn ${1 + one.texts.length / 2}`;
    one.client.ask(question);
    one.texts.push(question);
  }
  one.isWaiting = true;
  one.isBusy = true;
  try {
    const stream = time.random() < 0.6;
    const wishes = {
      ...{ model: 'anthropic/claude-opus-5-5', system: 'Be brief.' },
      stream,
      maxTokens: 4000,
      thinks: true,
    };
    const path = `/gateway${one.client.path(wishes)}`;
    const { status, headers, body } = await ask(
      network,
      replica.name,
      path,
      HEADERS,
      JSON.stringify(one.client.body(wishes)),
    );
    const reader = READERS[one.client.protocol];
    if (status !== 200) {
      assert.deepEqual(reader.error(status, body), [], `an error of ${one.client.protocol}: ${body}`);
      return;
    }
    const answer = stream ? reader.stream(body, { includeUsage: true }) : reader.whole(body);
    // A stream that the provider broke off says so, in the client's protocol.
    if (answer.problems.length > 0) return;
    const said = answer.parts.flatMap((part) => (part.kind === 'text' ? [part.text] : [])).join('');
    if (!/^Answer \d+ to Talk \d+$/.test(said)) return;
    // The client notices nothing of a disk that is full, but the server reports it, and promises nothing.
    if (await replica.isAtRisk()) {
      talks.splice(talks.indexOf(one), 1);
      return;
    }
    one.client.keep(answer);
    one.texts.push(said);
    one.isWaiting = false;
    one.acknowledged.set(String(headers['x-skein-exchange']), said);
  } finally {
    one.isBusy = false;
  }
}

async function ask(
  network: SimulatedNetwork,
  host: string,
  path: string,
  headers: Record<string, string>,
  body: string,
) {
  try {
    return await network.ask(host, path, { headers, body });
  } catch (error) {
    throw new NetworkError('The client did not get its answer.', { cause: error });
  }
}

/** Whatever a client of the gateway got whole is stored, with the bytes of the provider. Returns the number of assertions. */
export async function checkTalks(
  { name, forest: { store } }: Replica,
  talks: readonly Talk[],
  provider: ThinkingProvider,
): Promise<number> {
  let assertions = 0;
  for (const { acknowledged } of talks)
    for (const [id, text] of acknowledged) {
      const entry = await store.entry('exchange', id);
      assert.equal(entry?.data.outcome, 'done', `${name}: the acknowledged exchange ${id} is stored`);
      const { upstream } = await readTexts(store, entry.data as never);
      const stored = Buffer.from(upstream?.response ?? '').toString();
      assert.equal(stored, provider.sent(text), `${name}: the bytes of the answer of ${id} are stored`);
      assertions += 2;
    }
  return assertions;
}

/** The path of a thread is what its client saw. Returns the number of assertions. */
export async function checkPaths({ name, forest }: Replica, talks: readonly Talk[]): Promise<number> {
  await reproject(forest);
  const shown = await threadTexts(forest);
  for (const { texts, isWaiting } of talks) {
    const seen = (isWaiting ? texts.slice(0, -1) : texts).join('\n');
    assert.ok(
      shown.some((text) => text.endsWith(seen)),
      `${name}: no thread shows the talk ${seen}`,
    );
  }
  return talks.length;
}

/** A provider that is known as a `fetch`, behind a socket. */
export function listenTo({ fetch }: SimulatedProvider): RequestListener {
  return (request, response) => {
    response.sendDate = false;
    const pieces: Buffer[] = [];
    request.on('data', (piece: Buffer) => pieces.push(piece));
    request.on('error', () => undefined);
    request.on('end', async () => {
      const answer = await fetch(request.url ?? '', { body: Buffer.concat(pieces).toString() });
      response.writeHead(answer.status, Object.fromEntries(answer.headers));
      response.end(await answer.text().catch(() => ''));
    });
  };
}
