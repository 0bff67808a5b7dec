import { dialect, isObject, type Message } from '@skein/core';
import { serving } from '@skein/core/dialect';
import { type AppendPoint, endsWithOwnEcho, makeIdChain, ROOT_POINT } from '../../forest/index.ts';
import { ECHO_START, type Echo } from '../../model/echo.ts';
import { nodeId, ROOT, sha256 } from '../../model/ids.ts';
import type { Turn } from '../read-exchange.ts';
import { extendSent, readIssuedIds, type SystemKeys, systemKeys } from './evidence.ts';
import type { IndexNode, RecordedIndex } from './recorded-index.ts';

/**
 * The history of a request as the client sent it, and how far it matches recorded nodes. Messages with known texts are
 * not parsed, so a long history costs one hash per message.
 */
export class SentHistory {
  /** All messages, with the system text at the front. */
  readonly messages: readonly Message[];
  /** The number of system messages at the front. */
  readonly lead: number;
  /** The id of the node that those system messages end with. */
  readonly leadId: string;
  /** How many messages match known nodes byte for byte. */
  readonly exact: number;
  readonly #index: RecordedIndex;
  readonly #nodes: IndexNode[] = [];
  readonly #echoes: Echo[] = [];
  readonly #start: Echo;

  /** If the API keeps the history before these messages, `kept` is its echo. */
  constructor(index: RecordedIndex, { system, messages }: Pick<Turn, 'system' | 'messages'>, kept?: Echo) {
    this.#index = index;
    this.#start = kept ?? ECHO_START;
    const sent = system ? [system, ...messages] : messages;
    const ids = makeIdChain(ROOT, sent);
    for (let at = 0; at < sent.length && !kept; at++) {
      const node = index.nodes.get(ids.at(at)!);
      if (!node) {
        // If it is not in memory, it is read together with those behind it.
        if (index.isWaiting) for (at += 1; at < sent.length; at++) index.nodes.get(ids.at(at)!);
        break;
      }
      this.#nodes.push(node);
    }
    this.exact = this.#nodes.length;
    this.messages = sent.map((message, at) => (at < this.exact ? message : index.recent.reuse(message)));
    let lead = 0;
    while (lead < this.messages.length && this.#isLeading(lead)) lead += 1;
    this.lead = lead;
    this.leadId = lead === 0 ? ROOT : ids.at(lead - 1)!;
  }

  /** The position of the last message that matches byte for byte. */
  get exactPlace(): AppendPoint {
    return this.#nodes.at(-1)?.place ?? ROOT_POINT;
  }

  nodeAt(index: number): IndexNode | undefined {
    return this.#nodes[index];
  }

  /** Whether a message is a reply, or a reference to one. */
  isReply(index: number): boolean {
    return this.#nodes[index]?.isReply ?? (this.messages[index]?.role === 'assistant' || this.isReference(index));
  }

  /** Whether a message is only a reference by id. */
  isReference(index: number): boolean {
    const message = this.messages[index];
    // A message with a known role is never a reference.
    if (message?.role !== 'other') return false;
    const { kept } = serving(dialect(message.origin.dialect));
    const value: unknown = JSON.parse(message.raw);
    return kept !== undefined && isObject(value) && typeof kept.refersTo(value) === 'string';
  }

  /** The last reply before an index; -1 when there is none. */
  replyBefore(end: number): number {
    let at = end - 1;
    while (at >= 0 && !this.isReply(at)) at -= 1;
    return at;
  }

  /** The ids and signatures that the provider issued in a message. */
  issued(index: number): readonly string[] {
    return this.#nodes[index]?.issued ?? readIssuedIds(this.messages[index]!);
  }

  /** The echo of the history up to and including a message. */
  echo(index: number): Echo {
    if (index < 0) return this.#start;
    if (index < this.exact) return this.#nodes[index]!.place.echo;
    for (let at = this.exact + this.#echoes.length; at <= index; at++)
      this.#echoes.push(extendOnce(this.#echoes.at(-1) ?? this.echo(this.exact - 1), this.messages[at]!));
    return this.#echoes[index - this.exact]!;
  }

  /** The keys of the system text. */
  get system(): SystemKeys {
    return systemKeysAt(this.#index, this.leadId, this.messages.slice(0, this.lead));
  }

  #isLeading(index: number): boolean {
    const node = this.#nodes[index];
    return node ? node.place.echo.leading : this.messages[index]!.role === 'system';
  }
}

/** The same as `extendSent`, computed once while a message comes back behind the same history, turn after turn. */
function extendOnce(before: Echo, message: Message): Echo {
  const known = extended.get(message);
  if (known?.before === before) return known.echo;
  const echo = extendSent(before, message);
  extended.set(message, { before, echo });
  return echo;
}

const extended = new WeakMap<Message, { readonly before: Echo; readonly echo: Echo }>();

/** The keys of the system texts that end with a node. Texts that were never given are like no others. */
export function systemKeysAt(index: RecordedIndex, id: string, lead?: readonly Message[]): SystemKeys {
  const known = index.systems.get(id);
  if (known !== undefined) return known;
  if (!lead && id !== ROOT) return { dated: id, numbered: id };
  const keys = systemKeys((lead ?? []).map(({ text }) => text));
  index.set(index.systems, id, keys);
  return keys;
}

/** Follows messages below a position: by exact texts as far as possible, then by echoes. */
export function followMessages(
  index: RecordedIndex,
  from: AppendPoint,
  messages: readonly Message[],
): { readonly place: AppendPoint; readonly matched: number; readonly by: 'exact' | 'echo' } {
  let place = from;
  let matched = 0;
  while (matched < messages.length) {
    const { origin, raw } = messages[matched]!;
    const next = index.nodes.get(nodeId(place.id, origin.dialect, sha256(raw)));
    if (!next) break;
    place = next.place;
    matched += 1;
  }
  const left = messages.slice(matched);
  const echoes: string[] = [];
  let echo = place.echo;
  for (const message of left) {
    echo = extendOnce(echo, message);
    echoes.push(echo.text);
  }
  for (let at = echoes.length - 1; at >= 0; at--) {
    const found = index.nodes.get(index.echoes.get(`${echoes[at]} ${place.lead}`) ?? '');
    if (!found || !isBelow(index, found, place)) continue;
    // An empty reply has the same echo as its question; a repeated question is answered beside it.
    const isAloud = at === echoes.length - 1 && endsWithOwnEcho(echoes, place.echo);
    const node = isAloud ? aboveSilent(index, found) : found;
    return { place: node.place, matched: matched + at + 1, by: 'echo' };
  }
  return { place, matched, by: 'exact' };
}

function isBelow(index: RecordedIndex, node: IndexNode, { id, depth }: AppendPoint): boolean {
  let at: IndexNode | undefined = node;
  while (at && at.place.depth > depth) at = index.nodes.get(at.parent);
  return id === ROOT || at?.place.id === id;
}

function aboveSilent(index: RecordedIndex, node: IndexNode): IndexNode {
  const parent = index.nodes.get(node.parent);
  return parent && parent.place.echo.text === node.place.echo.text ? aboveSilent(index, parent) : node;
}

/** Follows a history by its content alone, in any thread; returns the root if nothing matches. */
export function followHistory(index: RecordedIndex, history: SentHistory) {
  const { messages, exact, exactPlace } = history;
  const behind = followMessages(index, exactPlace, messages.slice(exact));
  return { ...behind, matched: exact + behind.matched };
}
