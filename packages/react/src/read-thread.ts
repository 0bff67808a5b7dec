import type { client } from '@skein/server/client';
import { ConversationError, type ConversationMessage, type ConversationSnapshot, reach } from './conversation.ts';

/** Reads one branch of a conversation from the HTTP API, with the alternatives of its messages and its last answer. */

export type SkeinApi = ReturnType<typeof client>;

type SuccessBody<R> = R extends { json(): Promise<infer Body> }
  ? Exclude<Body, { code: string; detail: string }>
  : never;

/** The body of a response; throws a `ConversationError` if the request was refused. */
export async function unwrap<R extends Pick<Response, 'ok' | 'status' | 'text' | 'json'>>(
  sent: Promise<R>,
): Promise<SuccessBody<R>> {
  return (await (await reach(sent)).json()) as SuccessBody<R>;
}

type Answer<Route extends (...args: never[]) => Promise<unknown>> = SuccessBody<Awaited<ReturnType<Route>>>;
export type Node = Answer<SkeinApi['nodes'][':node']['$get']>;
type Generation = Answer<SkeinApi['generations'][':generation']['$get']>;

/** One branch of a conversation. */
export interface ThreadView {
  readonly id: string;
  readonly nodes: readonly Node[];
  /** The ids of the alternatives, by the id of a message; only where there are several. */
  readonly siblings: ReadonlyMap<string, readonly string[]>;
  /** The answer that is not complete at the end of this branch, and which of its branches that is. */
  readonly answer?: LastAnswer;
}

/** An answer, and which of its branches is shown. */
export interface LastAnswer {
  readonly generation: Generation;
  readonly branch: number;
}

const ROOT = '0'.repeat(40);

/** Reads again while the conversation goes on: an answer that ends between two requests would be in neither of them. */
export async function readThread(api: SkeinApi, id: string, at: string | undefined): Promise<ThreadView> {
  for (let before: string | undefined; ; ) {
    const view = await readOnce(api, id, at);
    const end = view.nodes.at(-1)?.id;
    if (at !== undefined || view.answer || end === before) return view;
    const { head } = await unwrap(api.threads[':thread'].$get({ param: { thread: id } }));
    if (head === end) return view;
    before = end;
  }
}

async function readOnce(api: SkeinApi, id: string, at: string | undefined): Promise<ThreadView> {
  const path =
    at === undefined
      ? unwrap(api.threads[':thread'].path.$get({ param: { thread: id }, query: {} }))
      : unwrap(api.nodes[':node'].path.$get({ param: { node: at }, query: {} }));
  const [{ lineage }, { items: nodes }] = await Promise.all([
    unwrap(api.threads[':thread'].$get({ param: { thread: id } })),
    path,
  ]);
  const [siblings, answer] = await Promise.all([readSiblings(api, nodes, lineage), findAnswer(api, id, nodes)]);
  return { id, nodes, siblings, ...(answer && { answer }) };
}

/** The last message of the newest branch through a message. */
export async function findLeaf(api: SkeinApi, id: string, message: string): Promise<string> {
  const [{ lineage }, { items }] = await Promise.all([
    unwrap(api.threads[':thread'].$get({ param: { thread: id } })),
    unwrap(api.nodes[':node'].leaves.$get({ param: { node: message }, query: { limit: 1000 } })),
  ]);
  const own = items.filter((node) => belongsTo(node, lineage));
  return own.reduce((newest, node) => (node.at >= newest.at ? node : newest), own[0] ?? { id: message, at: 0 }).id;
}

/** Nodes may be shared: those that only other conversations have are no alternatives here. */
function belongsTo({ takes }: Node, lineage: readonly string[]): boolean {
  return takes.length === 0 || takes.some(({ thread }) => thread === undefined || lineage.includes(thread));
}

async function readSiblings(api: SkeinApi, nodes: readonly Node[], lineage: readonly string[]) {
  const forked = nodes.filter((_node, index) => index > 0 && nodes[index - 1]!.childCount > 1);
  const found = await Promise.all(
    forked.map(async ({ id }) => {
      const { items } = await unwrap(api.nodes[':node'].siblings.$get({ param: { node: id } }));
      const own = items.filter((node) => node.id === id || (!node.removed && belongsTo(node, lineage)));
      return [id, own.map((node) => node.id)] as const;
    }),
  );
  const first = nodes[0] ? [[nodes[0].id, await readBeginnings(api, nodes[0])] as const] : [];
  return new Map([...first, ...found].filter(([, ids]) => ids.length > 1));
}

/** How many first messages are looked at for edits of one: all conversations of the forest begin at its root. */
const MOST_BEGINNINGS = 200;

/** The first messages that are edits of each other. */
async function readBeginnings(api: SkeinApi, node: Node): Promise<readonly string[]> {
  const query = { limit: MOST_BEGINNINGS };
  const { items } = await unwrap(api.nodes[':node'].children.$get({ param: { node: 'root' }, query }));
  const related = new Set([node.id, ...editedFrom(node)]);
  for (let size = 0; size !== related.size; ) {
    size = related.size;
    for (const one of items) {
      const from = editedFrom(one);
      if (from.some((id) => related.has(id))) related.add(one.id);
      if (related.has(one.id)) for (const id of from) related.add(id);
    }
  }
  const known = items.map(({ id }) => id).filter((id) => related.has(id));
  return [...new Set([...known, ...related])];
}

function editedFrom({ takes }: Node): readonly string[] {
  return takes.flatMap(({ via, from }) => (via === 'edit' && from !== undefined && from !== ROOT ? [from] : []));
}

/** Looks for the answer from the last message up to the question. */
async function findAnswer(api: SkeinApi, thread: string, nodes: readonly Node[]): Promise<LastAnswer | undefined> {
  const last = nodes.at(-1);
  for (const { id: node, role, content } of nodes.toReversed()) {
    const { items } = await unwrap(api.generations.$get({ query: { node, thread, limit: 1000 } }));
    for (const generation of items.toReversed()) {
      const branch = await findBranch(api, generation, last!.id);
      if (branch >= 0) return { generation, branch };
    }
    if (role === 'user' && content.some(({ type }) => type !== 'tool-result')) return undefined;
  }
  return undefined;
}

/** The branch of an answer that is not done and ends at a node, or has run on from there since the node was read. */
async function findBranch(api: SkeinApi, { branches, status }: Generation, end: string): Promise<number> {
  const found = branches.findIndex((branch) => branch.status !== 'done' && branch.head === end);
  if (found >= 0 || status !== 'running') return found;
  const paths = await Promise.all(
    branches.map(({ head }) => unwrap(api.nodes[':node'].path.$get({ param: { node: head }, query: {} }))),
  );
  return paths.findIndex(({ items }) => items.some(({ id }) => id === end));
}

export function toMessage({ id, role, content }: Node, { siblings }: ThreadView): ConversationMessage {
  return { id, role, blocks: content, isLive: false, siblings: siblings.get(id) ?? [id] };
}

const STATUS = {
  running: 'streaming',
  done: 'ready',
  waiting: 'waiting',
  failed: 'failed',
  aborted: 'stopped',
} as const;

export function toSnapshot(view: ThreadView): ConversationSnapshot {
  const { generation, branch } = view.answer ?? {};
  const state = generation?.branches[branch!];
  const { error, pending = [] } = state ?? {};
  return {
    id: view.id,
    messages: view.nodes.map((node) => toMessage(node, view)),
    status: generation?.status === 'running' ? 'streaming' : STATUS[state?.status ?? 'done'],
    pending,
    ...(generation && { answer: generation.id }),
    ...(error && { error: new ConversationError(error.code, error.message) }),
  };
}
