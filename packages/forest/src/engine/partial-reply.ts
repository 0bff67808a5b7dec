import { dialect, type Fetch, type Reply } from '@skein/core';
import { allItems, appendSiblings, type ForestContext, readAppendPoint, resolveId } from '../forest/index.ts';
import type { Clock } from '../model/clock.ts';
import { findFraming } from '../model/dialects.ts';
import { type EntryRecord, hasMessage } from '../model/records.ts';
import type { Store } from '../store/index.ts';
import { BATCH_MS } from './events.ts';
import { readHistory, withAlternatives } from './history.ts';
import type { GenerationState } from './types.ts';

/**
 * Returns the node from which an interrupted branch continues. What had arrived of a reply when its process died becomes a
 * node, once. The branch continues below a complete reply, and beside a cut one: no API continues half a reply.
 */
export async function recoverBranch(
  context: ForestContext,
  { id: generation, thread }: Pick<GenerationState, 'id' | 'thread'>,
  branch: number,
  stored: string,
): Promise<string> {
  const { store, clock } = context;
  const head = await aboveCut(context, await resolveId(store, stored));
  const key = `${generation}/${branch}`;
  const last = await readLastReply(store, key);
  if (!last || !hasMessage(last.reply)) return head;
  const { message, stop, usage } = last.reply;
  const { provider, model } = last.target;
  const isCut = message.origin.cut === true;
  const take = {
    via: 'generate',
    author: 'model',
    generation,
    ...(thread !== undefined && { thread }),
    provider,
    model,
    stop,
    ...(usage && { usage, ...(isCut && { estimated: true }) }),
  } as const;
  const mark = makeKeptMark(clock, key, last.name);
  const replies = withAlternatives(last.reply, take);
  const [node] = await appendSiblings(context, await readAppendPoint(store, head), replies, [mark]);
  return isCut ? head : node!;
}

async function aboveCut({ store }: ForestContext, head: string): Promise<string> {
  const { messages, path } = await readHistory(store, head);
  return messages.at(-1)?.origin.cut ? path.at(-1)!.parent : head;
}

/** The model that a request goes to, with the dialect to read its answer: the provider may be a custom one. */
export interface RequestTarget {
  readonly provider: string;
  readonly model: string;
  readonly dialect: string;
  readonly issuer: string;
}

/**
 * Stores the text of streamed replies while it arrives, so that a crash loses nothing. Each reply has a name that is unique
 * across processes. A reply that became a message is marked, and its pieces are no longer needed.
 */
export class ReplyLog {
  readonly #store: Store;
  readonly #clock: Clock;
  readonly #key: string;
  #target: RequestTarget | undefined;
  #last: Promise<unknown> = Promise.resolve();
  #reply: string | undefined;

  constructor(store: Store, clock: Clock, key: string) {
    this.#store = store;
    this.#clock = clock;
    this.#key = key;
  }

  setTarget(target: RequestTarget): void {
    this.#target = target;
  }

  /** The mark that the last reply became a message, to be written together with it. */
  makeMarks(): readonly EntryRecord[] {
    return this.#reply === undefined ? [] : [makeKeptMark(this.#clock, this.#key, this.#reply)];
  }

  /** Wraps `fetch` to store the streamed text that it receives. */
  wrap(fetch: Fetch): Fetch {
    return async (url, init) => {
      const response = await fetch(url, init);
      if (!response.body || !this.#isStream(response.headers.get('content-type') ?? '')) return response;
      const { status, statusText, headers } = response;
      return new Response(response.body.pipeThrough(this.#watch()), { status, statusText, headers });
    };
  }

  #isStream(type: string): boolean {
    const framing = this.#target && findFraming(dialect(this.#target.dialect), this.#target.provider);
    return type.includes('event-stream') || framing?.contentTypes.some((one) => type.startsWith(one)) === true;
  }

  #watch(): TransformStream<Uint8Array, Uint8Array> {
    const decoder = new TextDecoder();
    const reply = this.#clock.tick();
    this.#reply = reply;
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

  #append(reply: string, text: string): void {
    const record = makePieceRecord(this.#clock, this.#key, { reply, text, ...this.#target });
    this.#last = this.#last.then(() => this.#store.append([record])).catch(() => undefined);
  }
}

function makeKeptMark(clock: Clock, key: string, reply: string): EntryRecord {
  return makePieceRecord(clock, key, { reply, kept: true });
}

function makePieceRecord(clock: Clock, key: string, data: EntryRecord['data']): EntryRecord {
  const order = clock.tick();
  return { k: 'event', id: `${key}/wire/${order}`, of: `${key}/wire`, order, clock: order, data };
}

/** Reads the last streamed reply of a branch, as far as it arrived; undefined when there is none or it became a message. */
async function readLastReply(
  store: Store,
  key: string,
): Promise<{ readonly name: string; readonly reply: Reply; readonly target: RequestTarget } | undefined> {
  const pieces: ReplyPiece[] = [];
  const kept = new Set<unknown>();
  for await (const { data } of allItems((page) => store.entries('event', { of: `${key}/wire`, ...page })))
    if (data.kept === true) kept.add(data.reply);
    else if (isPiece(data)) pieces.push(data);
  const last = pieces.at(-1);
  if (!last || kept.has(last.reply)) return undefined;
  const { reply: name, provider, model, dialect: dialectId, issuer } = last;
  const spoken = dialect(dialectId);
  const reader = spoken.readStream({ issuer, model });
  const decoder = findFraming(spoken, provider).split((event, data) => void reader.push(event, data));
  for (const { reply, text } of pieces) if (reply === name) decoder.push(text);
  return { name, reply: reader.finish(), target: { provider, model, dialect: dialectId, issuer } };
}

type ReplyPiece = RequestTarget & { readonly reply: string; readonly text: string };

function isPiece(data: EntryRecord['data']): data is EntryRecord['data'] & ReplyPiece {
  return ['reply', 'text', 'provider', 'model', 'dialect', 'issuer'].every((name) => typeof data[name] === 'string');
}
