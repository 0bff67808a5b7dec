import { type Checkpoint, dialect, isObject, type Message, type ToolDefinition } from '@skein/core';
import type { NodeRecord, StoredText, TakeContext, TakeRecord } from '../../model/records.ts';
import type { Store } from '../../store/index.ts';
import { type ForestContext, makeRef, readRefs } from '../context.ts';
import { type Lineage, readLineage, selectTakes } from '../threads/thread.ts';
import type { Threads } from '../threads/threads.ts';
import { groupBy } from './read-nodes.ts';
import { resolveId } from './resolve.ts';

/** A request of a conversation whose context differed from that of the previous request. */
export interface ContextChange {
  /** The reply to that request. */
  readonly node: string;
  readonly system?: { readonly before: string; readonly after: string };
  readonly tools?: { readonly before: string; readonly after: string };
  /** How many messages at the front were left out, and the text sent in their place. */
  readonly compacted?: { readonly messages: number; readonly replacement: string };
}

/** Lists where a conversation was sent with another system text, other tools or a compacted history than before. */
export async function findContextChanges(
  { store }: ForestContext,
  threads: Threads,
  thread: string,
  { to }: { readonly to?: string } = {},
): Promise<readonly ContextChange[]> {
  const { head } = await threads.get(thread);
  const path = await store.path(to === undefined ? head : await resolveId(store, to));
  const lineage = await readLineage(store, thread);
  const ids = path.map(({ id }) => id);
  const takes = groupBy(selectTakes(await store.takes(ids), lineage), ({ node }) => node);
  const checkpoints = new Map((await readCheckpoints(store, ids, lineage)).map((one) => [one.node, one.checkpoint]));
  const changes: ContextChange[] = [];
  const lead = leadingSystem(path);
  let before: TakeContext = { system: lead };
  let isKnown = false;
  for (const { id } of path) {
    const recorded = lastContext(takes.get(id) ?? []);
    // An edit of the system text carries replies below another one: from then on they are sent with that one.
    const context = recorded && { ...recorded, system: recorded.replacesLead ? recorded.system : lead };
    const checkpoint = checkpoints.get(id);
    const system = context && (await systemChange(store, before, context));
    const tools = context && isKnown && (await toolsChange(store, before, context));
    if (system || tools || checkpoint)
      changes.push({
        node: id,
        ...(system && { system }),
        ...(tools && { tools }),
        ...(checkpoint && {
          compacted: { messages: checkpoint.upTo, replacement: toReplacementText(checkpoint.replacement) },
        }),
      });
    if (!context) continue;
    before = context;
    isKnown = true;
  }
  return changes;
}

/** The system messages that the path begins with. The tools are known only from the first request on. */
function leadingSystem(path: readonly NodeRecord[]): readonly StoredText[] {
  const end = path.findIndex(({ facts }) => facts.role !== 'system');
  return path.slice(0, end < 0 ? path.length : end).map(({ dialect: spoken, body }) => ({ dialect: spoken, body }));
}

function lastContext(takes: readonly TakeRecord[]): TakeContext | undefined {
  return takes.findLast(({ context }) => context !== undefined)?.context;
}

async function systemChange(store: Store, before: TakeContext, after: TakeContext) {
  if (joinDigests(before.system) === joinDigests(after.system)) return undefined;
  const [old, now] = await Promise.all([before, after].map(({ system }) => readSystemText(store, system)));
  // The same words in the form of another protocol are no change.
  return old === now ? undefined : { before: old!, after: now! };
}

async function toolsChange(store: Store, before: TakeContext, after: TakeContext) {
  if (before.tools === after.tools) return undefined;
  const [old = '', now = ''] = await store.bodies([before.tools ?? '', after.tools ?? '']);
  return { before: old, after: now };
}

async function readSystemText(store: Store, system: readonly StoredText[]): Promise<string> {
  const texts = await store.bodies(system.map(({ body }) => body));
  return system
    .map(({ dialect: spoken }, index) => dialect(spoken).parseMessage(texts[index] ?? '{}').text)
    .join('\n\n');
}

function toReplacementText(replacement: Checkpoint['replacement']): string {
  return replacement
    .map((text) => (typeof text === 'string' ? { dialect: 'blocks', raw: text } : text))
    .map(({ dialect: spoken, raw }) => dialect(spoken).parseMessage(raw).text)
    .join('\n\n');
}

function joinDigests(texts: readonly StoredText[]): string {
  return texts.map(({ body }) => body).join();
}

/** Replaces the system messages of the path by those of the conversation's last request, where they differ. */
export async function withConversationSystem(
  store: Store,
  stored: readonly Message[],
  context: TakeContext | undefined,
): Promise<readonly Message[]> {
  if (!context?.replacesLead) return stored;
  const end = stored.findIndex(({ role }) => role !== 'system');
  const rest = end < 0 ? [] : stored.slice(end);
  const texts = await store.bodies(context.system.map(({ body }) => body));
  // When a text is missing, the system messages of the path are the best there is.
  if (texts.some((text) => text === undefined)) return stored;
  const system = context.system.map(({ dialect: spoken }, index) => dialect(spoken).parseMessage(texts[index]!));
  return [...system, ...rest];
}

/** Reads stored tools. A missing text or an invalid definition is left out; the preview of the request shows that. */
export async function readTools(store: Store, digest: string): Promise<readonly ToolDefinition[]> {
  const [text] = await store.bodies([digest]);
  if (text === undefined) return [];
  const read: unknown = JSON.parse(text);
  return Array.isArray(read) ? read.filter(isDefinition) : [];
}

function isDefinition(value: unknown): value is ToolDefinition {
  if (!isObject(value)) return false;
  const isNative = typeof value.dialect === 'string' && typeof value.native === 'string';
  return (
    isNative || (typeof value.name === 'string' && (typeof value.parameters === 'string' || isObject(value.parameters)))
  );
}

/**
 * A checkpoint is stored on the last node of the branch that was sent with it, under the name of its thread. Other branches
 * and other conversations with the same history were sent whole, and continue to be.
 */
const NAME = 'checkpoint';

function checkpointName(thread: string | undefined): string {
  return thread === undefined ? NAME : `${NAME}:${thread}`;
}

/** Stores the newest of these checkpoints on the head of a branch. */
export async function writeCheckpoint(
  context: ForestContext,
  head: string,
  thread: string | undefined,
  checkpoints: readonly Checkpoint[],
): Promise<void> {
  const newest = checkpoints.at(-1);
  if (!newest) return;
  const name = checkpointName(thread);
  await readRefs(context, 'node', [head], [name]);
  await context.store.append([makeRef(context, 'node', head, name, newest)]);
}

/** Reads the checkpoints on a path, from its beginning; with a lineage, those of its threads and those without a thread. */
export async function readCheckpoints(
  store: Store,
  path: readonly string[],
  lineage: Lineage | undefined,
): Promise<{ readonly node: string; readonly checkpoint: Checkpoint }[]> {
  const names = [NAME, ...[...(lineage ?? [])].map(checkpointName)];
  const { items } = await store.refs({ on: 'node', keys: path, names, limit: Math.max(1, path.length * names.length) });
  const order = new Map(path.map((id, index) => [id, index]));
  return items
    .toSorted((a, b) => order.get(a.key)! - order.get(b.key)!)
    .flatMap(({ key, value }) => (isCheckpoint(value) ? [{ node: key, checkpoint: value }] : []));
}

function isCheckpoint(value: unknown): value is Checkpoint {
  const { upTo, digest, replacement } = (value ?? {}) as Partial<Checkpoint>;
  return typeof upTo === 'number' && typeof digest === 'string' && Array.isArray(replacement);
}
