/** Recorded traffic of programs with known cache faults. It is answered by a cache of its own, which shares no code with ours. */
import { createForest, type Forest } from '../forest/index.ts';
import { type Exchange, exchangeRecord, requestPart, responsePart } from '../record/exchange.ts';
import { reproject } from '../record/index.ts';
import { memoryStore, type Store } from '../store/index.ts';

/** One request of a program. */
export interface Ask {
  readonly app: string;
  readonly at: number;
  readonly tools?: readonly object[];
  readonly system: string;
  readonly turns: readonly string[];
  /** The indexes of messages with a marker; -1 is the system text. */
  readonly marks?: readonly number[];
  readonly ttl?: '1h';
  readonly model?: string;
  /** Another one than Anthropic does not cache. */
  readonly provider?: string;
  readonly settings?: object;
  readonly headers?: Readonly<Record<string, string>>;
  /** How long the answer takes to begin. */
  readonly delay?: number;
  /** The provider forgets everything before it. */
  readonly forgets?: boolean;
}

/** What the traffic's own cache did for a request. */
interface Served {
  readonly id: string;
  readonly prompt: number;
  readonly read: number;
  readonly written: number;
  /** How many tokens the cache held behind it. */
  readonly held: number;
}

export interface Traffic {
  readonly forest: Forest;
  readonly served: ReadonlyMap<string, readonly Served[]>;
}

const tokens = (text: string) => Math.ceil(text.length / 4);

/** Records the requests in a forest in memory, each with the usage that a provider with exact markers would report. */
export async function recordTraffic(
  asks: readonly Ask[],
  { minimum = 1024, store = memoryStore() }: { readonly minimum?: number; readonly store?: Store } = {},
): Promise<Traffic> {
  const forest = createForest(store);
  const served = new Map<string, Served[]>();
  let cache: {
    readonly prefix: string;
    readonly tokens: number;
    until: number;
    readonly from: number;
    readonly life: number;
  }[] = [];
  for (const [index, ask] of [...asks].sort((a, b) => a.at - b.at).entries()) {
    const {
      app,
      at,
      tools = [],
      system,
      turns,
      marks = [],
      model = 'claude-sonnet-4-5',
      provider = 'anthropic',
      ttl,
      settings = {},
      headers = {},
    } = ask;
    if (ask.forgets) cache = [];
    const marker = { cache_control: { type: 'ephemeral', ...(ttl && { ttl }) } };
    const isMarked = (position: number) => marks.includes(position);
    const block = (text: string, position: number) => ({ type: 'text', text, ...(isMarked(position) && marker) });
    const messages = turns.map((text, position) => ({
      role: position % 2 === 0 ? 'user' : 'assistant',
      content: text.split('¶').map((piece, part, all) => block(piece, part === all.length - 1 ? position : Number.NaN)),
    }));
    const body = { model, max_tokens: 100, ...settings, tools, system: [block(system, -1)], messages };
    const text = JSON.stringify(body);
    // A prefix is bound to everything that the provider compares.
    const scope = JSON.stringify([model, body, headers['anthropic-beta']], (name, value) =>
      ['tools', 'system', 'messages', 'max_tokens'].includes(name) ? undefined : value,
    );
    let prefix = scope;
    let sum = 0;
    let [read, end, blocks] = [0, 0, 0];
    const ends: {
      readonly prefix: string;
      readonly tokens: number;
      readonly block: number;
      readonly marked: boolean;
    }[] = [];
    const parts = [...tools.map((tool) => JSON.stringify(tool)), system, ...turns];
    parts.forEach((part, place) => {
      prefix += `\n${part}`;
      sum += tokens(part);
      blocks += part.split('¶').length;
      ends.push({ prefix, tokens: sum, block: blocks, marked: isMarked(place - tools.length - 1) });
    });
    const prompt = sum;
    const life = ttl === '1h' ? 3_600_000 : 300_000;
    for (const { prefix: one, tokens: size, block: from } of ends) {
      const entry = cache.find((held) => held.prefix === one && held.until >= at && held.from <= at);
      const reach = ends.some(({ marked, block: to }) => marked && to >= from && to - from <= 20);
      if (!entry || !reach) continue;
      read = size;
      entry.until = at + entry.life;
    }
    const delay = ask.delay ?? 500;
    for (const { prefix: one, tokens: size, marked } of ends) {
      if (!marked || size < minimum || provider !== 'anthropic') continue;
      end = size;
      cache = cache.filter((held) => held.prefix !== one || held.from > at);
      cache.push({ prefix: one, tokens: size, until: at + life, from: at + delay, life });
    }
    const written = Math.max(0, end - read);
    const id = `x${String(index).padStart(5, '0')}`;
    const one = { id, prompt, read, written, held: Math.max(end, read) };
    served.set(app, [...(served.get(app) ?? []), one]);
    const usage = {
      input_tokens: prompt - read - written,
      cache_read_input_tokens: read,
      cache_creation_input_tokens: written,
      cache_creation: { ephemeral_5m_input_tokens: ttl ? 0 : written, ephemeral_1h_input_tokens: ttl ? written : 0 },
      output_tokens: 10,
    };
    const answer = {
      id: `msg_${id}`,
      type: 'message',
      role: 'assistant',
      model,
      stop_reason: 'end_turn',
      stop_sequence: null,
      usage,
    };
    const reply = JSON.stringify({ ...answer, content: [{ type: 'text', text: `answer ${turns.length} of ${app}` }] });
    const exchange: Exchange = {
      ...{ id, start: at, firstByte: at + delay, end: at + delay + 100, method: 'POST', host: 'api.anthropic.com' },
      ...{
        path: '/v1/messages',
        query: '',
        kind: 'generate',
        provider,
        issuer: 'api.anthropic.com',
        model,
      },
      dialect: 'anthropic-messages',
      requestHeaders: { 'user-agent': `${app}/1.0`, ...headers },
      ...{
        status: 200,
        responseHeaders: { 'content-type': 'application/json' },
        outcome: 'done',
        tags: [app],
        writer: 'w',
      },
      thread: `${app}-${turns[0]}`,
    };
    const bytes = (value: string) => ({ text: value });
    await forest.store.append([
      exchangeRecord(exchange, forest.clock.tick()),
      requestPart(id, bytes(text), forest.clock.tick()),
      responsePart(id, 0, bytes(reply), forest.clock.tick(), at + delay),
    ]);
  }
  await reproject(forest);
  return { forest, served };
}
