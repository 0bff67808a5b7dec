import { createHash, type Hash, randomUUID } from 'node:crypto';
import { findMembers, isObject, parseJson } from '@skein/core';
import { canonicalText, quoted } from '../model/ids.ts';
import type { Store } from '../store/index.ts';
import { type BodyHashes, type BodyToHash, hashWhole, mayRound, replayFront } from './describe-request.ts';

/**
 * A request with a history, hashed up to the end of its last message. The next request of the conversation begins with the same
 * text.
 */
interface HashedHistory {
  /** Method, path and query. */
  readonly front: string;
  readonly text: string;
  /** Where its last message ends, in characters and in bytes. */
  readonly end: number;
  readonly endByte: number;
  /** The member that has the messages, and the canonical texts of those before it. */
  readonly array: string;
  readonly before: ReadonlyMap<string, string>;
  /** What comes before the first message in its canonical text. */
  readonly lead: string;
  readonly canonical: Hash;
  readonly exact: Hash;
}

/** A shorter body is hashed as a whole. */
const SHORT = 1024;
/** How many histories are remembered, and how many characters all of them may have. */
const MOST_HISTORIES = 64;
const MOST_CHARACTERS = 2 ** 22;
/** How many characters of a history are compared before all of them are. */
const COMPARED_FIRST = 16;

/**
 * Hashes the bodies of requests. In a conversation, each request begins with the text of the one before: that part is compared, which
 * takes a fraction of the time of hashing it, and of parsing and sorting it for the replay key. The hashes are the same.
 */
export class RequestHashes {
  #histories: HashedHistory[] = [];
  #characters = 0;
  /** The last long body that was hashed as a whole: where the next one parts from it is where histories grow. */
  #last = { front: '', text: '' };

  hash(method: string, url: URL, body: BodyToHash | undefined): BodyHashes {
    const length = body?.text.length ?? 0;
    if (!body || length < SHORT || length > MOST_CHARACTERS / 2) return hashWhole(method, url, body);
    const front = replayFront(method, url);
    const known = this.#find(front, body.text);
    const hashes = known && this.#goOn(known, body);
    return hashes ?? this.#begin(front, body) ?? hashWhole(method, url, body);
  }

  /** The longest history that a text begins with. */
  #find(front: string, text: string): HashedHistory | undefined {
    let found: HashedHistory | undefined;
    for (const one of this.#histories) {
      const { end } = one;
      if (one.front !== front || end > text.length || end <= (found?.end ?? 0)) continue;
      const from = end - COMPARED_FIRST;
      const mayBegin = text.slice(from, end) === one.text.slice(from, end);
      if (mayBegin && text.slice(0, end) === one.text.slice(0, end)) found = one;
    }
    return found;
  }

  /** Hashes what comes behind a history; undefined if that is not possible. */
  #goOn(known: HashedHistory, { text, exact }: BodyToHash): BodyHashes | undefined {
    const { front, array, lead, before } = known;
    const rest = text.slice(known.end);
    if (mayRound(rest)) return undefined;
    // The same JSON with one element in place of the known ones. If there is another member of that name, it does not stay the first.
    const start = `{${quoted(array)}:["${STAND_IN}"`;
    const value = parsed(start + rest);
    const elements = value?.[array];
    if (!value || !Array.isArray(elements) || elements[0] !== STAND_IN) return undefined;
    const others = new Map(before);
    for (const name of Object.keys(value)) {
      if (name === array) continue;
      if (before.has(name)) return undefined;
      others.set(name, canonicalText(value[name]));
    }
    if (leadOf(others, array) !== lead) return undefined;
    const canonical = known.canonical.copy();
    for (let at = 1; at < elements.length; at++) canonical.update(`,${canonicalText(elements[at])}`);
    const exactly = known.exact.copy();
    const end = known.end + lastElementEnd(start + rest, 1) - start.length;
    const endByte = known.endByte + Buffer.byteLength(text.slice(known.end, end));
    exactly.update(typeof exact === 'string' ? text.slice(known.end, end) : exact.subarray(known.endByte, endByte));
    this.#remove(known);
    return this.#finish({ front, text, end, endByte, array, before, lead, canonical, exact: exactly }, others, exact);
  }

  /** Hashes all of a body, and remembers its history if it has one; undefined if it is not known where that is. */
  #begin(front: string, { text, exact }: BodyToHash): BodyHashes | undefined {
    const last = this.#last;
    this.#last = { front, text };
    if (last.front !== front || mayRound(text)) return undefined;
    const value = parsed(text);
    if (!value) return undefined;
    const members = findMembers(text);
    const part = commonLength(last.text, text);
    const at = members.findIndex(({ start, end }) => start < part && part < end);
    const { name: array = '', end: arrayEnd = 0 } = members[at] ?? {};
    const elements = value[array];
    if (!Array.isArray(elements) || elements.length === 0 || members.length !== Object.keys(value).length)
      return undefined;
    const others = new Map(
      members.flatMap(({ name }) => (name === array ? [] : [[name, canonicalText(value[name])] as const])),
    );
    const before = new Map(members.slice(0, at).map(({ name }) => [name, others.get(name)!]));
    const lead = leadOf(others, array);
    const canonical = createHash('sha256').update(`${front}\n${lead}${canonicalText(elements).slice(1, -1)}`);
    const end = text.slice(0, arrayEnd - 1).trimEnd().length;
    const endByte = Buffer.byteLength(text.slice(0, end));
    const exactly = createHash('sha256').update(
      typeof exact === 'string' ? text.slice(0, end) : exact.subarray(0, endByte),
    );
    return this.#finish({ front, text, end, endByte, array, before, lead, canonical, exact: exactly }, others, exact);
  }

  #finish(history: HashedHistory, others: ReadonlyMap<string, string>, exact: string | Uint8Array): BodyHashes {
    const { text, end, endByte, array } = history;
    this.#histories.push(history);
    this.#characters += text.length;
    while (this.#histories.length > MOST_HISTORIES || this.#characters > MOST_CHARACTERS)
      this.#remove(this.#histories[0]!);
    const behind = [...others.keys()].filter((name) => name > array).sort();
    const tail = behind.map((name) => `,${quoted(name)}:${others.get(name)}`).join('');
    return {
      requestSha256: history.exact
        .copy()
        .update(typeof exact === 'string' ? text.slice(end) : exact.subarray(endByte))
        .digest('hex'),
      replayKey: history.canonical.copy().update(`]${tail}}`).digest('hex'),
    };
  }

  #remove(history: HashedHistory): void {
    this.#histories = this.#histories.filter((one) => one !== history);
    this.#characters -= history.text.length;
  }
}

const all = new WeakMap<Store, RequestHashes>();

/** Those of a store. All its recorders in this process share them. */
export function requestHashes(store: Store): RequestHashes {
  const there = all.get(store);
  if (there) return there;
  const made = new RequestHashes();
  all.set(store, made);
  return made;
}

/** Stands for the messages that are hashed already. */
const STAND_IN = randomUUID();

/** The canonical text of an object up to the first element of one of its arrays. */
function leadOf(others: ReadonlyMap<string, string>, array: string): string {
  const names = [...others.keys()].filter((name) => name < array).sort();
  return `{${names.map((name) => `${quoted(name)}:${others.get(name)},`).join('')}${quoted(array)}:[`;
}

/** Where the last element of an array ends that is the first member of an object. */
function lastElementEnd(text: string, keyStart: number): number {
  const { end } = findMembers(text).find((member) => member.keyStart === keyStart)!;
  return text.slice(0, end - 1).trimEnd().length;
}

function parsed(text: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const value = parseJson(text);
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

/** How many characters two texts have in common at their front. */
function commonLength(a: string, b: string): number {
  let low = 0;
  let high = Math.min(a.length, b.length);
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (b.slice(low, middle) === a.slice(low, middle)) low = middle;
    else high = middle - 1;
  }
  return low;
}
