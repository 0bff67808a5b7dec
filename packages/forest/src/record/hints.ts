import { findMembers, isObject, textAt } from '@skein/core';
import { sha256 } from '../model/ids.ts';
import type { HeaderPairs } from './recorder.ts';

/**
 * Who speaks and in which session, as far as a request says so, each value as a hash. Hints never join conversations;
 * they only keep them apart. API keys are no hints, and no value can be turned back into what the client sent.
 */
export interface Hints {
  /** Persons and tenants, by where they are named. Requests that name different ones never share a thread. */
  readonly person?: Readonly<Record<string, string>>;
  /**
   * Sessions, by where they are named. Requests of different sessions share a thread only if an issued id proves it.
   */
  readonly session?: Readonly<Record<string, string>>;
  /** The session by which lists group threads: one that a program names as such. */
  readonly group?: string;
  /** The agent inside the session. Different agents have different threads. */
  readonly agent?: string;
  /** The request comes from a subagent. */
  readonly isSubagent?: true;
  /** The name that the client gave to the conversation. */
  readonly name?: string;
}

/**
 * Additional places where requests name persons and sessions, such as `header:x-customer` or `body:metadata.customer`.
 */
export interface HintPlaces {
  readonly person?: readonly string[];
  readonly session?: readonly string[];
}

type Kind = 'person' | 'session' | 'label';

/** Headers of known clients and providers. A `label` counts as a session, but is too coarse to group lists by. */
const HEADERS = Object.entries<Kind>({
  'openai-organization': 'person',
  'openai-project': 'person',
  'anthropic-organization-id': 'person',
  'x-goog-user-project': 'person',
  'x-claude-code-session-id': 'session',
  'session-id': 'session',
  session_id: 'session',
  'x-session-id': 'session',
  'x-session-affinity': 'label',
});

/** Members of a body. A cache key is a label, because an application may use one for all its conversations. */
const MEMBERS: Readonly<Record<string, Kind>> = {
  user: 'person',
  safety_identifier: 'person',
  prompt_cache_key: 'label',
};

/** Members of `metadata`, which applications fill themselves. */
const METADATA: Readonly<Record<string, Kind>> = {
  user: 'person',
  customer_id: 'person',
  tenant_id: 'person',
  session_id: 'session',
  conversation_id: 'session',
  thread_id: 'session',
  chat_id: 'session',
};

const AGENT_HEADER = 'x-claude-code-agent-id';
const PARENT_HEADER = 'x-parent-session-id';
const NAME_HEADER = 'thread-id';

/** Reads the hints of a request; undefined if there are none. */
export function readHints(headers: HeaderPairs, body: string, places: HintPlaces = {}): Hints | undefined {
  const given: ReadonlyMap<string, string> = headers instanceof Map ? headers : new Map(headers);
  const found = new HintCollector();
  for (const [name, kind] of HEADERS) found.add(kind, name, given.get(name));
  readMembers(body, found);
  for (const kind of ['person', 'session'] as const)
    for (const place of places[kind] ?? []) found.add(kind, place, valueAt(place, given, body));
  const parent = given.get(PARENT_HEADER);
  if (parent) found.group = hashHint(parent);
  return found.hints({
    ...(given.get(AGENT_HEADER) && { agent: hashHint(given.get(AGENT_HEADER)!), isSubagent: true as const }),
    ...(parent && { isSubagent: true as const }),
    ...(given.get(NAME_HEADER) && { name: hashHint(given.get(NAME_HEADER)!) }),
  });
}

class HintCollector {
  readonly #person: Record<string, string> = {};
  readonly #session: Record<string, string> = {};
  group: string | undefined;

  add(kind: Kind, name: string, value: unknown): void {
    if ((typeof value !== 'string' && typeof value !== 'number') || value === '') return;
    const hash = hashHint(String(value));
    if (kind === 'person') this.#person[name] = hash;
    else this.#session[name] = hash;
    if (kind === 'session') this.group ??= hash;
  }

  hints(more: Partial<Hints>): Hints | undefined {
    const hints: Hints = {
      ...(Object.keys(this.#person).length > 0 && { person: this.#person }),
      ...(Object.keys(this.#session).length > 0 && { session: this.#session }),
      ...(this.group !== undefined && { group: this.group }),
      ...more,
    };
    return Object.keys(hints).length > 0 ? hints : undefined;
  }
}

/** Whether a body may have one of these members, however its name is spelled. Most have none, and finding members is slow. */
const MAY_HAVE_MEMBERS = new RegExp(`"(?:${[...Object.keys(MEMBERS), 'metadata'].join('|')})"\\s*:|\\\\u00[5-7]`);

function readMembers(body: string, found: HintCollector): void {
  if (!MAY_HAVE_MEMBERS.test(body)) return;
  const members = topLevel(body);
  for (const [name, kind] of Object.entries(MEMBERS)) found.add(kind, name, members.get(name)?.());
  const metadata = members.get('metadata')?.();
  if (!isObject(metadata)) return;
  for (const [name, kind] of Object.entries(METADATA)) found.add(kind, `metadata.${name}`, metadata[name]);
  if (typeof metadata.user_id !== 'string') return;
  const { account, session } = readUserId(metadata.user_id);
  found.add('person', 'metadata.user_id', account);
  found.add('session', 'metadata.user_id', session);
}

/** The members of a body by name, each parsed on demand; empty if the body is not JSON. */
function topLevel(body: string): ReadonlyMap<string, () => unknown> {
  try {
    const read = (text: string) => () => JSON.parse(text) as unknown;
    return new Map(findMembers(body).map(({ name, start, end }) => [name, read(body.slice(start, end))]));
  } catch {
    return new Map();
  }
}

/** Claude Code puts account and session into one text, as JSON or joined by words; other clients use a plain id. */
function readUserId(text: string): { readonly account: string; readonly session?: string } {
  const [, account, session] = /^(user_.*)_session_([\w-]+)$/.exec(text) ?? [];
  if (account !== undefined && session !== undefined) return { account, session };
  if (!text.startsWith('{')) return { account: text };
  try {
    const value: unknown = JSON.parse(text);
    if (!isObject(value)) return { account: text };
    const { session_id: id, ...rest } = value;
    return { account: JSON.stringify(rest), ...(typeof id === 'string' && { session: id }) };
  } catch {
    return { account: text };
  }
}

function valueAt(place: string, headers: ReadonlyMap<string, string>, body: string): unknown {
  const [, where, name = ''] = /^(header|body):(.+)$/s.exec(place) ?? [];
  if (where === 'header') return headers.get(name.toLowerCase());
  return where === 'body' ? memberAt(body, name.split('.')) : undefined;
}

/** The value at a path of a JSON body; undefined if there is none. */
function memberAt(body: string, path: readonly string[]): unknown {
  try {
    const text = textAt(body, path);
    return text === undefined ? undefined : JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** The hash under which a name of a person or a session is stored. */
export function hashHint(value: string): string {
  return sha256(`skein-hint/1\n${value}`).slice(0, 16);
}

/** Whether two sets of names agree wherever both have a value. */
function agree(a: Readonly<Record<string, string>> = {}, b: Readonly<Record<string, string>> = {}): boolean {
  return Object.entries(a).every(([name, value]) => b[name] === undefined || b[name] === value);
}

/** Whether two requests may come from one person and, within one session, from one agent. */
export function samePerson(a: Hints, b: Hints): boolean {
  const isOneSession = a.group !== undefined && a.group === b.group;
  return agree(a.person, b.person) && (a.agent === b.agent || !isOneSession);
}

/** Whether no hint tells two requests apart. */
export function hintsAgree(a: Hints, b: Hints): boolean {
  return samePerson(a, b) && agree(a.session, b.session);
}

/** The hints of a thread after one more request. The latest session counts, the group stays. */
export function mergeHints(a: Hints, b: Hints): Hints {
  return {
    ...a,
    ...b,
    ...((a.person || b.person) && { person: { ...a.person, ...b.person } }),
    ...((a.session || b.session) && { session: { ...a.session, ...b.session } }),
    ...(a.group !== undefined && { group: a.group }),
  };
}

/** Equal hints have equal keys. */
export function hintsKey({ person = {}, session = {}, agent = '' }: Hints): string {
  return JSON.stringify([sorted(person), sorted(session), agent]);
}

/** The keys of all subsets of these hints; requests with those agree with these. */
export function subsetKeys({ person = {}, session = {}, agent }: Hints): string[] {
  const named = [
    ...sorted(person).map((one) => ['person', ...one] as const),
    ...sorted(session).map((one) => ['session', ...one] as const),
  ];
  const keys: string[] = [];
  for (let mask = (1 << Math.min(named.length, MOST_NAMED)) - 1; mask >= 0; mask--) {
    const some = named.filter((_, bit) => mask & (1 << bit));
    const part = (kind: string) =>
      Object.fromEntries(some.filter(([of]) => of === kind).map(([, name, value]) => [name, value]));
    keys.push(hintsKey({ person: part('person'), session: part('session'), ...(agent !== undefined && { agent }) }));
  }
  return keys;
}

const MOST_NAMED = 6;

function sorted(values: Readonly<Record<string, string>>): [string, string][] {
  return Object.entries(values).sort(([a], [b]) => (a < b ? -1 : 1));
}
