import { type Role, user } from '@skein/core';
import { ECHO_START, extendEcho } from '../model/echo.ts';
import { createTake, nodeId, ROOT, sha256 } from '../model/ids.ts';
import type { BodyRecord, EntryRecord, NodeRecord, RefRecord, StoreRecord, TakeRecord } from '../model/records.ts';
import type { Page, PageRequest } from '../store/index.ts';

/** One case of a conformance suite. `run` rejects if the store fails it. */
export interface StoreCase {
  readonly name: string;
  run(): Promise<void>;
}

export function check(holds: boolean, otherwise: string): asserts holds {
  if (!holds) throw new Error(otherwise);
}

/** Equal by value; the order of an object's members does not count. */
export function checkEqual(actual: unknown, expected: unknown, what: string): void {
  const [a, b] = [show(actual), show(expected)];
  check(a === b, `${what}: expected ${short(b)}, got ${short(a)}`);
}

function show(value: unknown): string {
  return (
    JSON.stringify(value, (_, inner: unknown) =>
      inner !== null && typeof inner === 'object' && !Array.isArray(inner)
        ? Object.fromEntries(Object.entries(inner).sort(([a], [b]) => (a < b ? -1 : 1)))
        : inner,
    ) ?? 'undefined'
  );
}

function short(text: string): string {
  return text.length > 500 ? `${text.slice(0, 500)}… (${text.length} characters)` : text;
}

interface NodeChoice {
  readonly parent?: NodeRecord;
  readonly at?: number;
  readonly role?: Role;
  readonly echo?: string;
  readonly lead?: string;
}

export interface SampleNode {
  readonly node: NodeRecord;
  readonly body: BodyRecord;
}

const START = Date.UTC(2026, 0, 1);

/** The text of a message in the blocks dialect. */
function rawText(text: string, role: Role = 'user'): string {
  return JSON.stringify({ role, content: [{ type: 'text', text }] });
}

/** A node and its body: a message with this text below `parent`. */
export function makeNode(text: string, choice: NodeChoice = {}): SampleNode {
  const { parent, role = 'user', lead = parent?.lead ?? ROOT } = choice;
  const body = makeBody(rawText(text, role));
  const depth = (parent?.depth ?? 0) + 1;
  const node: NodeRecord = {
    k: 'node',
    id: nodeId(parent?.id ?? ROOT, 'blocks', body.digest),
    parent: parent?.id ?? ROOT,
    depth,
    dialect: 'blocks',
    body: body.digest,
    echo: choice.echo ?? extendEcho({ ...ECHO_START, text: parent?.echo ?? ECHO_START.text }, user(text)).text,
    lead,
    facts: { role, calls: [], results: [], needs: [] },
    at: choice.at ?? START + depth,
  };
  return { node, body };
}

export function makeBody(text: string): BodyRecord {
  return { k: 'body', digest: sha256(text), text };
}

/** A history without branches, one node for each text. */
export function makePath(texts: readonly string[], parent?: NodeRecord): SampleNode[] {
  const made: SampleNode[] = [];
  for (const text of texts) {
    const above = made.at(-1)?.node ?? parent;
    made.push(makeNode(text, above ? { parent: above } : {}));
  }
  return made;
}

export function makeTake(node: NodeRecord, at: number, more: Partial<TakeRecord> = {}): TakeRecord {
  return createTake({
    node: node.id,
    at,
    author: 'person',
    via: 'append',
    origin: { dialect: 'blocks', issuer: 'local' },
    ...more,
  });
}

export function makeRef(key: string, name: string, value: unknown, clock: string, on: RefRecord['on'] = 'thread') {
  return { k: 'ref', on, key, name, value, clock } satisfies RefRecord;
}

export function makeEntry(id: string, choice: Partial<EntryRecord> = {}): EntryRecord {
  return { k: 'event', id, of: 'g1', order: id, clock: '1', data: { id }, ...choice };
}

/** The records of nodes, each after its body. */
export function toRecords(made: readonly SampleNode[]): StoreRecord[] {
  return made.flatMap(({ node, body }) => [body, node]);
}

/** All items of a list, page by page. */
export async function allPages<T>(page: (request: PageRequest) => Promise<Page<T>>, limit = 2): Promise<T[]> {
  const items: T[] = [];
  let after: string | undefined;
  for (let count = 0; count < 100_000; count++) {
    const found = await page({ limit, ...(after !== undefined && { after }) });
    if (found.items.length > limit) throw new Error(`a page of ${found.items.length} items, ${limit} were asked for`);
    items.push(...found.items);
    if (found.next === undefined) return items;
    if (found.next === after) throw new Error('a page leads to itself');
    after = found.next;
  }
  throw new Error('the pages do not end');
}
