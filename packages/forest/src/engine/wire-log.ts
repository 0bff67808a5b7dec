import { decodeSse, dialect, type Fetch, type Message, provider, type Reply } from '@skein/core';
import type { Clock, EntryRecord } from '../model/index.ts';
import type { Store } from '../store/index.ts';
import { BATCH_MS } from './event-writer.ts';

/** Who is asked, as the run loop tells its observer. */
export interface Asked {
  readonly provider: string;
  readonly model: string;
}

/**
 * Keeps the bytes of streamed replies while they arrive, so that a crash leaves what had come. Each reply has a place
 * of its own; what became a message is not needed any more.
 */
export class WireLog {
  readonly #store: Store;
  readonly #clock: Clock;
  readonly #key: string;
  #asked: Asked | undefined;
  #last: Promise<unknown> = Promise.resolve();
  #count = 0;

  constructor(store: Store, clock: Clock, key: string) {
    this.#store = store;
    this.#clock = clock;
    this.#key = key;
  }

  asked(who: Asked): void {
    this.#asked = who;
  }

  /** A `fetch` that writes down what it brings. */
  wrap(fetch: Fetch): Fetch {
    return async (url, init) => {
      const response = await fetch(url, init);
      if (!response.body || !response.headers.get('content-type')?.includes('event-stream')) return response;
      const { status, statusText, headers } = response;
      return new Response(response.body.pipeThrough(this.#watch()), { status, statusText, headers });
    };
  }

  #watch(): TransformStream<Uint8Array, Uint8Array> {
    const decoder = new TextDecoder();
    const reply = ++this.#count;
    let text = '';
    let timer: NodeJS.Timeout | undefined;
    const write = () => {
      clearTimeout(timer);
      timer = undefined;
      if (text !== '') this.#append(reply, text);
      text = '';
    };
    return new TransformStream({
      transform: (chunk, controller) => {
        text += decoder.decode(chunk, { stream: true });
        timer ??= setTimeout(write, BATCH_MS);
        controller.enqueue(chunk);
      },
      flush: write,
    });
  }

  #append(reply: number, text: string): void {
    const order = this.#clock.tick();
    const data = { reply, text, ...this.#asked };
    const record: EntryRecord = {
      k: 'event',
      id: `${this.#key}/wire/${order}`,
      of: `${this.#key}/wire`,
      order,
      clock: order,
      data,
    };
    this.#last = this.#last.then(() => this.#store.append([record])).catch(() => undefined);
  }
}

/** The last reply on the wire of a branch, as far as it came; undefined when there is none. */
export async function lastReply(store: Store, key: string): Promise<{ reply: Reply; asked: Asked } | undefined> {
  const pieces: EntryRecord[] = [];
  for (let after: string | undefined, more = true; more; ) {
    const page = await store.entries('event', { of: `${key}/wire`, limit: 1000, ...(after && { after }) });
    pieces.push(...page.items);
    after = page.next;
    more = after !== undefined;
  }
  const last = pieces.at(-1)?.data as (Asked & { reply: number }) | undefined;
  if (!last) return undefined;
  const { dialect: dialectId, issuer } = provider(last.provider);
  const reader = dialect(dialectId).readStream({ issuer, model: last.model });
  const decoder = decodeSse((event, data) => void reader.push(event, data));
  for (const { data } of pieces) if (data.reply === last.reply) decoder.push(String(data.text));
  return { reply: reader.finish(), asked: { provider: last.provider, model: last.model } };
}

/** Whether a message came of this reply: it is in the history already. */
export function isKept({ message }: Reply, history: readonly Message[]): boolean {
  return message.content.length === 0 || history.some(({ raw }) => raw === message.raw);
}
