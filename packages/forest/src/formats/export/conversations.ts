import type { CostLookup, ToolDefinition } from '@skein/core';
import {
  allItems,
  type Forest,
  type ForestNode,
  isDamage,
  readTools,
  resolveWalkStart,
  type Thread,
  walkAll,
} from '../../forest/index.ts';
import { ROOT, sha256 } from '../../model/ids.ts';
import type { ExportSelection } from './selection.ts';

/** A conversation from its first message to its end. */
export interface ExportedConversation {
  readonly head: string;
  readonly title: string;
  readonly nodes: readonly ForestNode[];
  /** The threads that end here. */
  readonly threads: readonly Thread[];
  /** The tools of its last request, as far as that is known. */
  readonly tools: readonly ToolDefinition[];
}

/** Selects conversations; they must fit all that is given. */
export interface ConversationFilters {
  /** The thread or a message has this tag. */
  readonly tag?: string;
  /** This model wrote an answer. */
  readonly model?: string;
  /** The last message is not older; milliseconds. */
  readonly since?: number;
  /** The last message is older; milliseconds. */
  readonly until?: number;
  /** The last rating of a message, or else that of the thread, is at least this. */
  readonly minRating?: number;
  /** A message contains this text; case does not count. */
  readonly text?: string;
  /** All answers together cost at least this, in dollars. */
  readonly minCost?: number;
  /** All answers together cost at most this, in dollars. */
  readonly maxCost?: number;
  /** Prices answers that were stored without a cost: `costOf` of `@skein/core/prices`. */
  readonly costOf?: CostLookup;
  /** A coding agent worked on this branch of a repository. */
  readonly branch?: string;
  /** A thread ends here. Without it, every end of a branch of the tree is a conversation. */
  readonly isThread?: boolean;
}

/** One of two parts that every conversation is assigned to at random, but always the same for the same seed. */
export interface DatasetSplit {
  readonly part: 'train' | 'test';
  /** The share of `train`, from 0 to 1. */
  readonly share: number;
  readonly seed: string;
}

/** What is exported. */
interface ConversationChoice {
  readonly of: ExportSelection;
  readonly where?: ConversationFilters;
  readonly deduplicate?: boolean;
  readonly split?: DatasetSplit;
}

/** A conversation that could not be exported. */
export interface ExportDamage {
  /** The node where the conversation ends. */
  readonly head: string;
  /** What is damaged, and where. */
  readonly reason: string;
}

/**
 * The conversations of a selection, one for each end of a branch. Of several conversations, damaged ones are left out;
 * if the only one is damaged, that is an error.
 */
export async function* selectConversations(
  forest: Forest,
  { of, where, deduplicate, split }: ConversationChoice,
  onDamaged: (conversation: ExportDamage) => void = () => undefined,
): AsyncGenerator<ExportedConversation> {
  const known = new Set<string>();
  for await (const conversation of readConversations(forest, of, onDamaged)) {
    if (where && !(await fits(forest, conversation, where))) continue;
    if (split && partOf(conversation, split) !== split.part) continue;
    if (deduplicate) {
      const content = contentDigest(conversation);
      if (known.has(content)) continue;
      known.add(content);
    }
    yield { ...conversation, tools: await readLastTools(forest, conversation.nodes) };
  }
}

type FoundConversation = Omit<ExportedConversation, 'tools'>;

async function* readConversations(
  forest: Forest,
  of: ExportSelection,
  onDamaged: (conversation: ExportDamage) => void,
): AsyncGenerator<FoundConversation> {
  if (of === 'everything') {
    yield* everyConversation(forest, ROOT, onDamaged);
    return;
  }
  if ('below' in of) {
    yield* everyConversation(forest, await forest.resolve(of.below), onDamaged);
    return;
  }
  if ('thread' in of) {
    const thread = await forest.threads.get(of.thread);
    const { head, title } = thread;
    yield { head, title, nodes: await forest.path(head), threads: [thread] };
    return;
  }
  if ('path' in of) {
    const nodes = await forest.path(of.path);
    yield { head: nodes.at(-1)?.id ?? ROOT, title: '', nodes, threads: [] };
    return;
  }
  const node = await forest.node(of.node);
  yield { head: node.id, title: '', nodes: [node], threads: [] };
}

async function* everyConversation(
  forest: Forest,
  top: string,
  onDamaged: (conversation: ExportDamage) => void,
): AsyncGenerator<FoundConversation> {
  const threads = new Map<string, Thread[]>();
  for await (const thread of allItems((page) => forest.threads.list(page)))
    threads.set(thread.head, [...(threads.get(thread.head) ?? []), thread]);
  for await (const head of everyEnd(forest, top)) {
    const nodes = await forest.path(head).catch((error: unknown) => {
      if (!isDamage(error)) throw error;
      onDamaged({ head, reason: error.message });
    });
    const own = threads.get(head) ?? [];
    if (nodes) yield { head, title: own[0]?.title ?? '', nodes, threads: own };
  }
}

/** The ends of all branches below a node, readable or not; the node itself if nothing is below it. */
async function* everyEnd({ store }: Forest, top: string): AsyncGenerator<string> {
  const start = await resolveWalkStart(store, top);
  let isAlone = top !== ROOT && !start.removed;
  for await (const { record, isLeaf } of walkAll(store, start)) {
    isAlone = false;
    if (isLeaf) yield record.id;
  }
  if (isAlone) yield top;
}

async function fits(
  forest: Forest,
  { head, nodes, threads }: FoundConversation,
  { tag, model, since, until, minRating, text, minCost, maxCost, costOf, branch, isThread }: ConversationFilters,
): Promise<boolean> {
  const end = nodes.at(-1)?.at ?? 0;
  const marks = [...threads, ...nodes.map(({ marks: own }) => own)];
  const rating = nodes.findLast(({ marks: own }) => own.rating !== undefined)?.marks.rating ?? threads[0]?.rating;
  const words = text?.toLowerCase();
  if (isThread && threads.length === 0) return false;
  if (branch !== undefined && !threads.some((thread) => thread.branch === branch)) return false;
  if (tag !== undefined && !marks.some(({ tags }) => tags.includes(tag))) return false;
  if (model !== undefined && !nodes.some(({ takes }) => takes.some((take) => take.model === model))) return false;
  if (end < (since ?? -Infinity) || end >= (until ?? Infinity)) return false;
  if (minRating !== undefined && !(rating !== undefined && rating >= minRating)) return false;
  if (words !== undefined && !nodes.some(({ message }) => message.text.toLowerCase().includes(words))) return false;
  if (minCost === undefined && maxCost === undefined) return true;
  const { cost } = await forest.usage({ path: head }, { costOf });
  return cost !== null && cost >= (minCost ?? 0) && cost <= (maxCost ?? Infinity);
}

/** Conversations with the same first question are in the same part, or the test would know what was trained. */
function partOf({ nodes }: FoundConversation, { share, seed }: DatasetSplit): DatasetSplit['part'] {
  const opening = nodes.find(({ role }) => role === 'user')?.message.text.trim() ?? '';
  const chance = Number.parseInt(sha256(`${seed}\n${opening}`).slice(0, 8), 16) / 2 ** 32;
  return chance < share ? 'train' : 'test';
}

/** What a conversation says, whatever the protocol and the ids of its calls. */
function contentDigest({ nodes }: FoundConversation): string {
  const said = nodes.map(({ role, message }) => [
    role,
    message.text.trim(),
    message.toolUses.map(({ name, rawParameters }) => [name, rawParameters]),
    message.toolResults.map(({ content }) => content),
    message.content.filter(({ type }) => type === 'media'),
  ]);
  return sha256(JSON.stringify(said)).slice(0, 32);
}

async function readLastTools({ store }: Forest, nodes: readonly ForestNode[]): Promise<readonly ToolDefinition[]> {
  const last = nodes.flatMap(({ takes }) => takes).findLast(({ context }) => context !== undefined)?.context;
  return last?.tools === undefined ? [] : readTools(store, last.tools);
}
