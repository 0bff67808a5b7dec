import type { RefRecord, TakeRecord } from '../../model/records.ts';
import type { Store } from '../../store/index.ts';
import { groupBy, toMarks } from '../read/read-nodes.ts';
import { followRedirects } from '../read/resolve.ts';

/** A conversation. */
export interface Thread {
  readonly id: string;
  /** The node where it starts; the root for a whole conversation. */
  readonly start: string;
  readonly head: string;
  readonly title: string;
  readonly tags: readonly string[];
  readonly note?: string;
  /** From −5 (very bad) to 5 (very good). */
  readonly rating?: number;
  readonly createdAt: number;
  readonly updatedAt: number;
  readonly deleted: boolean;
  /** The thread it was forked from. */
  readonly forkedFrom?: string;
  /** Whether it was recorded from a client: only exchanges of that client move its head. */
  readonly recorded: boolean;
  /** Its part in a session: the conversation itself, a subagent, or a side call such as a request for a title. */
  readonly part: 'main' | 'subagent' | 'side';
  /** The group that it is listed in. */
  readonly group?: string;
  /** A hash of the session id that its client sent. */
  readonly session?: string;
  /** The id of the response that it continues, when that was not recorded. */
  readonly unrecorded?: string;
  /** The coding agent whose session it is, such as `codex`, as far as its log or the command that recorded it says so. */
  readonly agent?: string;
  /** The folder that the agent worked in. */
  readonly cwd?: string;
  /** The branch of the repository that the agent worked on. */
  readonly branch?: string;
  /** The version of the agent. */
  readonly agentVersion?: string;
  /** The id of the call that started it, for a subagent. */
  readonly startedBy?: string;
}

/** Selects threads of sessions: of a coding agent, of a folder that it worked in, of a branch that it worked on. */
export interface SessionFilters {
  readonly agent?: string;
  /** Sessions in folders below it are selected, too. */
  readonly cwd?: string;
  readonly branch?: string;
}

/** Whether a thread is of such a session. */
export function fitsSession(thread: Thread, { agent, cwd, branch }: SessionFilters): boolean {
  return (
    (agent === undefined || thread.agent === agent) &&
    (cwd === undefined || thread.cwd === cwd || thread.cwd?.startsWith(cwd.replace(/[/\\]?$/, '/')) === true) &&
    (branch === undefined || thread.branch === branch)
  );
}

/** Reads threads in the order of the ids; undefined where there is none. Heads and starts are present ids. */
export async function readThreads(store: Store, ids: readonly string[]): Promise<(Thread | undefined)[]> {
  if (ids.length === 0) return [];
  const { items } = await store.refs({ on: 'thread', keys: ids, limit: Number.MAX_SAFE_INTEGER });
  const refs = groupBy(items, ({ key }) => key);
  const threads = ids.map((id) => readThread(id, refs.get(id) ?? []));
  const places = threads.flatMap((thread) => (thread ? [thread.start, thread.head] : []));
  const now = await followRedirects(store, places);
  return threads.map((thread) => thread && { ...thread, start: now.get(thread.start)!, head: now.get(thread.head)! });
}

const PARTS: readonly Thread['part'][] = ['main', 'subagent', 'side'];

function readThread(id: string, refs: readonly RefRecord[]): Thread | undefined {
  const values = new Map(refs.map(({ name, value }) => [name, value]));
  const head = values.get('head');
  const start = values.get('start');
  if (typeof head !== 'string' || typeof start !== 'string') return undefined;
  const created = Number(values.get('created') ?? 0);
  const text = (name: string) => {
    const value = values.get(name);
    return typeof value === 'string' ? { [name]: value } : {};
  };
  return {
    id,
    start,
    head,
    title: String(values.get('title') ?? ''),
    ...toMarks(refs),
    createdAt: created,
    updatedAt: Number(values.get('touched') ?? created),
    deleted: values.get('deleted') === true,
    recorded: values.get('recorded') === true,
    part: PARTS.find((part) => part === values.get('part')) ?? 'main',
    ...text('forkedFrom'),
    ...text('group'),
    ...text('session'),
    ...text('unrecorded'),
    ...text('agent'),
    ...text('cwd'),
    ...text('branch'),
    ...text('agentVersion'),
    ...text('startedBy'),
  };
}

/**
 * A thread and the threads it was forked from. Any number of conversations may share nodes; only the takes of the lineage
 * say what this conversation sent, which system text it had, and what it paid.
 */
export type Lineage = ReadonlySet<string>;

/** A limit, because forks in a damaged store may form a circle. */
const MOST_FORKS = 100;

export async function readLineage(store: Store, thread: string): Promise<Lineage> {
  const lineage = new Set<string>();
  for (let at: unknown = thread; typeof at === 'string' && !lineage.has(at) && lineage.size < MOST_FORKS; ) {
    lineage.add(at);
    const { items } = await store.refs({ on: 'thread', keys: [at], names: ['forkedFrom'], limit: 1 });
    at = items[0]?.value;
  }
  return lineage;
}

/**
 * Selects the takes of a lineage; without one, all takes. A take without a thread, from an older version, belongs to every
 * conversation through its node, unless another take places its exchange in a thread.
 */
export function selectTakes(takes: readonly TakeRecord[], lineage: Lineage | undefined): readonly TakeRecord[] {
  if (!lineage) return takes;
  const placed = new Set(
    takes.flatMap(({ exchange, thread }) => (thread !== undefined && exchange !== undefined ? [exchange] : [])),
  );
  return takes.filter(({ thread, exchange }) =>
    thread === undefined ? exchange === undefined || !placed.has(exchange) : lineage.has(thread),
  );
}
