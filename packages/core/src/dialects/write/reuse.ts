import { beginsWith, type ListFold, type Message, type Role } from '../../message/message.ts';
import type { Dialect } from '../dialect.ts';
import type { Loss } from '../loss.ts';
import { type Element, hashStart, joinManifest, type Manifest } from '../manifest.ts';
import { inlineSystem } from '../provider.ts';
import type { WrittenRequest } from '../request.ts';
import type { CallTracker, MergedDrafts, MessageDrafts, PlacedDraft, RequestJob } from './drafts.ts';
import type { RequestWriter, Target } from './writer.ts';

/**
 * What a dialect remembers from one request to the next, so that a long history is not written, hashed and encoded
 * again with every turn. Each entry lives as long as the message, draft, element or manifest that it was made from.
 */
export class WriteCache {
  /** What a message became for the last target that it was written for. */
  readonly drafts = new WeakMap<Message, MessageDrafts>();
  /** What drafts became when they were merged, by the first of them. */
  readonly merged = new WeakMap<PlacedDraft, MergedDrafts>();
  readonly elements = new WeakMap<PlacedDraft, Element>();
  // A history is looked through once, while it grows.
  /** The calls of this protocol's messages that may be answered later. */
  late: ListFold<LateCalls[]> | undefined;
  /** Which messages of this protocol stand for those before them. */
  beginnings: ListFold<number[]> | undefined;
  /** The prefix hash before and after an element, as it was last computed. */
  readonly prefixes = new WeakMap<Element, { readonly before: string; readonly after: string }>();
  /** The encoded starts of bodies, by their first element that stands for a message. */
  readonly bodies = new WeakMap<Element, readonly EncodedBody[]>();
  /** The last system and tools, and the prefix hash that begins with them. */
  #base: { readonly text: string; readonly hash: string } | undefined;
  /** What the manifests of this process were written from. */
  readonly sources = new WeakMap<Manifest, ManifestSource>();
  /** The settled starts of requests, by the last of their messages, and those messages, the oldest first. */
  readonly #starts = new WeakMap<Message, readonly SettledStart[]>();
  readonly #ends: WeakRef<Message>[] = [];

  hashBase(text: string): string {
    if (this.#base?.text !== text) this.#base = { text, hash: hashStart(text) };
    return this.#base.hash;
  }

  /**
   * Takes the longest start that fits a request: all its messages are those of the request, and all that it depends on is
   * the same. It is gone until it is put back, because it grows with the request.
   */
  takeStart(messages: readonly Message[], conditions: StartConditions): SettledStart | undefined {
    let fitting: SettledStart | undefined;
    const last = messages.findLast((message, at) => {
      // With the assistant message behind it, because that ends the run before it.
      fitting = this.#starts
        .get(message)
        ?.find(
          (start) =>
            start.count === at + 1 &&
            areSameConditions(start.conditions, conditions) &&
            beginsWith(messages, start.messages, at + 2),
        );
      return fitting !== undefined;
    });
    if (last)
      this.#starts.set(
        last,
        this.#starts.get(last)!.filter((start) => start !== fitting),
      );
    return fitting;
  }

  putStart(start: SettledStart): void {
    const last = start.messages[start.count - 1]!;
    this.#starts.set(last, [start, ...(this.#starts.get(last) ?? [])].slice(0, MOST_ALIKE));
    this.#ends.push(new WeakRef(last));
    const oldest = this.#ends.length > MOST_STARTS ? this.#ends.shift()!.deref() : undefined;
    if (oldest && oldest !== last) this.#starts.delete(oldest);
  }
}

const CACHES = /* @__PURE__ */ new WeakMap<Dialect, WriteCache>();

/** What is remembered for a dialect, as long as that lives. */
export function cacheOf(dialect: Dialect): WriteCache {
  let cache = CACHES.get(dialect);
  if (!cache) {
    cache = new WriteCache();
    CACHES.set(dialect, cache);
  }
  return cache;
}

/** The ids of calls of a message whose results may come later than the next request, or never. */
export interface LateCalls {
  readonly message: Message;
  readonly ids: readonly string[];
}

/** How many branches of a program have a settled start; each is about as large as its list of messages. */
const MOST_STARTS = 64;

/** How many starts end with the same message. */
const MOST_ALIKE = 3;

/** What a manifest was written from. */
export interface ManifestSource {
  readonly messages: readonly Message[];
  /** Its elements without cache markers. */
  readonly plain: readonly Element[];
  /** Its prefix hash, once it was computed. */
  prefix: string | undefined;
  /** The digests of its messages, if the target refuses repeats; they go over to the next request. */
  seen: Set<string> | undefined;
}

/** All that the start of a request depends on, besides its messages. */
export interface StartConditions {
  readonly target: Target;
  /** The prefix hash of system and tools. */
  readonly start: string;
  readonly leading: number;
  readonly continues: boolean;
  readonly unapproved: readonly string[];
}

/**
 * The start of a request up to an assistant message behind another role. Whatever follows, it stays as it is, because no
 * rule looks from there on at what stands before: all results of earlier calls are here, and no run of one role goes on.
 */
export interface SettledStart {
  readonly conditions: StartConditions;
  /** The messages of a request; the first `count` belong to the start. */
  readonly messages: readonly Message[];
  readonly count: number;
  readonly digests: readonly string[];
  /** The elements of that request; the first `size` belong to the start. */
  readonly elements: readonly Element[];
  readonly size: number;
  /** The prefix hash behind these elements, once it was computed. */
  prefix: string | undefined;
  /** The losses of what is not sent, by the pass that left it out, and the losses of what is sent. */
  readonly lost: readonly (readonly Loss[])[];
  readonly losses: readonly Loss[];
  /** The calls of these messages. */
  readonly tracker: CallTracker;
  /** The digests of these messages, if the target refuses repeats. */
  readonly seen: Set<string>;
  /** The drafts that call or answer server-side tools. */
  readonly serverTools: readonly PlacedDraft[];
}

function areSameConditions(a: StartConditions, b: StartConditions): boolean {
  return (
    a.start === b.start &&
    a.leading === b.leading &&
    a.continues === b.continues &&
    isSameTarget(a.target, b.target) &&
    a.unapproved.join('\n') === b.unapproved.join('\n')
  );
}

export function isSameTarget(a: Target, b: Target): boolean {
  return (
    a.model === b.model &&
    a.account === b.account &&
    a.upstream === b.upstream &&
    a.store === b.store &&
    (a.provider === b.provider ||
      (haveSameMembers(a.provider, b.provider, 'policies') &&
        haveSameMembers(a.provider.policies, b.provider.policies, 'refusedFields') &&
        a.provider.policies.refusedFields.join() === b.provider.policies.refusedFields.join()))
  );
}

/** Whether two objects have the same members. A descriptor may be a copy with another issuer or further refused fields. */
function haveSameMembers<T extends object>(a: T, b: T, except: keyof T): boolean {
  const names = Object.keys({ ...a, ...b }) as (keyof T)[];
  return names.every((name) => name === except || a[name] === b[name]);
}

// A request begins with what the previous request of its branch sent, in the same bytes, so that providers can cache it.

const SAME_MEMBERS = ['dialect', 'issuer', 'model', 'account', 'start'] as const;

/** The members of a manifest that must agree for its elements to be sent again. */
type ManifestIdentity = Pick<Manifest, (typeof SAME_MEMBERS)[number] | 'refused' | 'upstream'>;

/**
 * The previous request of this branch, if its elements can be sent again: it has the same target, system and tools,
 * and this request's messages begin with its messages.
 */
export function findReusable(
  previous: Manifest | undefined,
  next: ManifestIdentity,
  messages: readonly Message[],
  cache: WriteCache,
): Manifest | undefined {
  return previous &&
    previous.messages.length <= messages.length &&
    SAME_MEMBERS.every((name) => previous[name] === next[name]) &&
    // Before the first reasoning that is bound to an upstream, nothing depended on it.
    (previous.upstream ?? next.upstream) === next.upstream &&
    previous.refused.join() === next.refused.join() &&
    (beginsWith(messages, cache.sources.get(previous)?.messages ?? [undefined as never]) ||
      previous.messages.every((digest, index) => messages[index]!.facts.digest === digest))
    ? previous
    : undefined;
}

/**
 * Whether the elements of a previous request stay valid with this draft behind them. Some of them may only stand at the
 * end of a request, or before an answer.
 */
export function isReusableBefore(
  next: PlacedDraft | undefined,
  { elements, losses }: Manifest,
  { messages, writer, target }: RequestJob,
): boolean {
  if (!next) return true;
  const { alternateRoles } = target.provider.policies;
  const index = elements.at(-1)?.of.at(-1) ?? -1;
  const last = messages[index];
  const isSaidByUser = losses.some(({ message, reason }) => message === index && reason === 'inline-system');
  const lastRole = isSaidByUser ? 'user' : (last?.role ?? 'user');
  // Where roles alternate, messages of one side are merged.
  if (alternateRoles && sideOf(lastRole, writer) === sideOf(next.role, writer)) return false;
  if (next.role === 'assistant') return true;
  if (last?.role === 'system' && inlineSystem(target) === 'after-user') return isSaidByUser;
  // A paused turn was sent to be continued (`pause_turn`).
  return last?.role !== 'assistant' || last.facts.calls.length > 0 || last.content.at(-1)?.type !== 'unknown';
}

/** Whose turn a role belongs to. */
export function sideOf(role: Role, { resultsAreUsers }: RequestWriter): Role {
  return role === 'tool' && resultsAreUsers ? 'user' : role;
}

/** The elements of a request without their cache markers. */
export function plainElements(manifest: Manifest, cache: WriteCache): readonly Element[] {
  return (
    cache.sources.get(manifest)?.plain ??
    manifest.elements.map((element) => (element.plain ? { of: element.of, pieces: element.plain } : element))
  );
}

/** The encoded start of a body. The next request of the conversation is encoded behind it, in place. */
export interface EncodedBody {
  readonly head: string;
  /** The elements of a request; the first `size` are encoded here, and none of those carries a cache marker. */
  readonly elements: readonly Element[];
  readonly size: number;
  readonly bytes: Uint8Array<ArrayBuffer>;
  /** The end of these elements. */
  readonly end: number;
  /** How many of them are settled, and where they end: if what follows has changed, it is encoded again from there. */
  readonly settled: { readonly size: number; readonly end: number };
  /** The request whose rest stands behind these elements, and where it ends. */
  readonly owner: object;
  readonly length: number;
  /** Whether the bytes must not change: they are being sent, or somebody has them. */
  isLent?: boolean;
}

/** A body before it is encoded. */
export interface BodyParts {
  readonly manifest: Manifest;
  /** How many elements stand before the first that carries a cache marker. */
  readonly unmarked: number;
  /** How many elements are settled: the next request begins with them, whatever it adds. */
  readonly settled: number;
  /** The elements of an earlier request, of which the first `size` are the same here. */
  readonly shared: { readonly elements: readonly Element[] | undefined; readonly size: number };
}

/** The body of a request, as text and as bytes. What lends the bytes is loaded with the first request that is sent. */
export function joinBody(
  parts: BodyParts,
  rawOf: (message: number) => string,
  cache: WriteCache,
): Pick<WrittenRequest, 'body' | 'bytes' | 'withBytes'> {
  let text: string | undefined;
  let bytes: Uint8Array<ArrayBuffer> | undefined;
  const readBody = (): string => {
    text ??= joinManifest(parts.manifest, rawOf);
    return text;
  };
  const owner = {};
  return {
    get body() {
      return readBody();
    },
    bytes() {
      bytes ??= new TextEncoder().encode(readBody());
      return bytes;
    },
    async withBytes(use) {
      if (bytes) return use(bytes);
      const { lendBytes } = await import('./encode-body.ts');
      return lendBytes(parts, rawOf, cache, owner, use);
    },
  };
}
