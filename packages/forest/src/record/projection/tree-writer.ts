import {
  allPages,
  makeGroupRefs,
  makeRef,
  openingGroupId,
  readRefs,
  SIDE_GROUP,
  sessionGroupId,
  writeCheckpoint,
} from '../../forest/index.ts';
import { isConclusion } from '../../model/clock.ts';
import { ROOT } from '../../model/ids.ts';
import type { NodeRecord, RefRecord, StoreRecord, TakeRecord } from '../../model/records.ts';
import { PLACEMENT_RULES, type Placement, placedNodes, readPlacement } from '../placement.ts';
import type { RecordingForest } from '../recorder.ts';
import { sliceWork, turnOfOthers } from '../turns.ts';
import type { PlacedExchange } from './place-exchange.ts';
import {
  isSamePlace,
  makePlacementRefs,
  type PlacementChange,
  placedByOthers,
  readPlacementRefs,
} from './placement-refs.ts';
import { forkedThreadId, type IndexThread, type RecordedIndex } from './recorded-index.ts';

/**
 * Writes the results of a projection. Nodes, bodies and takes are named by their content and can be written at any
 * time. Placements are written last, so that an interrupted run is detected and repeated.
 */
interface TreeWriter {
  /** Reads the stored placements of exchanges that are about to be placed. */
  prepare(exchanges: readonly string[]): Promise<void>;
  /**
   * Takes the records of a placed exchange; they are written together with those of others. `clock` is the stamp of its own record, and `former`
   * the place that it had here, even if the store knows another one by now.
   */
  add(placed: PlacedExchange, of: { readonly clock: string; readonly former?: Placement | undefined }): Promise<void>;
  /** Writes what was added, then threads, redirects and placements. Returns how many nodes moved. */
  commit(index: RecordedIndex): Promise<number>;
  /** Whether a newer version has placed exchanges by rules that this one does not know. */
  hasNewerRules(): Promise<boolean>;
  forget(): void;
}

/** The register with the version of the rules that exchanges were last placed by. */
const RULES_REF = { on: 'forest', key: 'placement', name: 'rules' } as const;

/** How many records are written at once, and how many characters of bodies wait for it. */
const BATCH = 500;
const MOST_TEXT = 2 ** 21;

export function createTreeWriter(forest: RecordingForest): TreeWriter {
  const { store } = forest;
  /** The stored placements of the exchanges of this run, and the last ones that it found. */
  let placements = new Map<string, Placement | undefined>();
  let latest = new Map<string, Placement>();
  let changed = new Map<string, Placement | undefined>();
  /** What this run wrote for each exchange, and what it replaced again. */
  let written = new Map<string, Placement>();
  let superseded: PlacementChange[] = [];
  /** Exchanges that others closed, with the stamps of their records. */
  let concluded = new Map<string, string>();
  let unwritten: StoreRecord[] = [];
  let unwrittenText = 0;

  const hold = (records: readonly StoreRecord[]) => {
    for (const record of records) {
      unwritten.push(record);
      if (record.k === 'body') unwrittenText += record.text.length;
    }
  };
  const write = async () => {
    const records = unwritten;
    unwritten = [];
    unwrittenText = 0;
    for (let at = 0; at < records.length; at += BATCH) {
      await store.append(records.slice(at, at + BATCH));
      await turnOfOthers();
    }
  };

  const prepare = async (exchanges: readonly string[]) => {
    const left = exchanges.filter((id) => !placements.has(id));
    for (let at = 0; at < left.length; at += BATCH) {
      const some = left.slice(at, at + BATCH);
      for (const id of some) placements.set(id, undefined);
      for (const { key, value } of await readPlacementRefs(forest, some)) placements.set(key, readPlacement(value));
    }
  };

  return {
    prepare,
    async add({ exchange, placement, records, checkpoint }, { clock, former }) {
      await prepare([exchange]);
      latest.set(exchange, placement);
      if (isConclusion(clock)) concluded.set(exchange, clock);
      else concluded.delete(exchange);
      const before = placements.get(exchange);
      // The former placement of this run was written, too.
      const earlier = written.get(exchange) ?? former;
      if (earlier && !isSamePlace(earlier, placement)) superseded.push({ exchange, before: earlier, after: placement });
      if (isSamePlace(before, placement)) {
        changed.delete(exchange);
        written.delete(exchange);
        return;
      }
      changed.set(exchange, before);
      written.set(exchange, placement);
      if (checkpoint) await writeCheckpoint(forest, checkpoint.node, checkpoint.thread, [checkpoint.checkpoint]);
      // Reading the takes of a shared node is slow; it is needed only if this exchange may have some already.
      const isFirst = !before && !earlier && placement.found !== undefined;
      const mayBeKnown = !isFirst && records.length > 0;
      if (mayBeKnown) await write();
      hold(mayBeKnown ? await withoutKnownTakes(forest, records) : records);
      if (unwritten.length >= BATCH || unwrittenText >= MOST_TEXT) await write();
    },
    async commit(index) {
      const changes = [...changed].map(([exchange, before]) => ({ exchange, before, after: latest.get(exchange)! }));
      const gone = superseded.map((change) => ({ ...change, after: latest.get(change.exchange)! }));
      placements = new Map();
      latest = new Map();
      changed = new Map();
      written = new Map();
      superseded = [];
      if (changes.length === 0 && gone.length === 0) return 0;
      // Redirects are found among the nodes that are stored; those that only this run wrote may not be.
      if (gone.length > 0) await write();
      const stored = await readPlacementRefs(
        forest,
        changes.map(({ exchange }) => exchange),
      );
      const placementRefs = makePlacementRefs(forest, changes, concluded, stored);
      concluded = new Map();
      const redirects = await makeRedirects(forest, index, [...gone, ...placedByOthers(changes, stored), ...changes]);
      const refs = [
        ...((await storedRules(forest)) === PLACEMENT_RULES
          ? []
          : [makeRef(forest, RULES_REF.on, RULES_REF.key, RULES_REF.name, PLACEMENT_RULES)]),
        ...(await makeRevivals(forest, changes)),
        ...redirects,
        ...(await makeThreadRefs(forest, index, changes)),
        ...placementRefs(),
      ];
      hold(refs);
      await write();
      return redirects.length;
    },
    hasNewerRules: async () => (await storedRules(forest)) > PLACEMENT_RULES,
    forget() {
      placements = new Map();
      latest = new Map();
      changed = new Map();
      written = new Map();
      superseded = [];
      concluded = new Map();
      unwritten = [];
      unwrittenText = 0;
    },
  };
}

async function storedRules(forest: RecordingForest): Promise<number> {
  const [ref] = await readRefs(forest, RULES_REF.on, [RULES_REF.key], [RULES_REF.name]);
  return typeof ref?.value === 'number' ? ref.value : 0;
}

/** Drops takes that exist already: a newer version, or a second poll, may describe the same reply again. */
async function withoutKnownTakes({ store }: RecordingForest, records: readonly StoreRecord[]): Promise<StoreRecord[]> {
  const nodes = new Set(records.flatMap((record) => (record.k === 'take' ? [record.node] : [])));
  const known = new Set((await store.takes([...nodes])).map(takeKey));
  return records.filter((record) => record.k !== 'take' || !known.has(takeKey(record)));
}

function takeKey({ node, exchange, via, thread }: TakeRecord): string {
  return `${node} ${exchange} ${via} ${thread}`;
}

/**
 * Restores nodes that had moved away and are back. The first exchange of a thread also restores what a person removed.
 */
async function makeRevivals(forest: RecordingForest, changes: readonly PlacementChange[]): Promise<RefRecord[]> {
  const fresh = new Set<string>();
  const all = new Set<string>();
  for (const { before, after } of changes)
    for (const node of nodesAndParent(after)) {
      all.add(node);
      if (!before) fresh.add(node);
    }
  const hiding = await readRefs(forest, 'node', [...all], ['moved', 'removed']);
  return hiding
    .filter(({ key, name, value }) => (name === 'moved' ? typeof value === 'string' : value === true && fresh.has(key)))
    .map(({ key, name }) => makeRef(forest, 'node', key, name, false));
}

function nodesAndParent(placement: Placement): string[] {
  return [...placedNodes(placement), ...(placement.parent === undefined ? [] : [placement.parent])];
}

/**
 * An exchange that arrives late can move later ones, which leaves nodes that no exchange uses. Their ids are redirected
 * to the nodes that replace them. Nodes that others wrote, or attached something to, stay.
 */
async function makeRedirects(
  forest: RecordingForest,
  index: RecordedIndex,
  changes: readonly PlacementChange[],
): Promise<RefRecord[]> {
  const targets = await index.read(
    () =>
      new Map(changes.flatMap(({ before, after }) => (before === undefined ? [] : successors(index, before, after)))),
  );
  if (targets.size === 0) return [];
  const { store } = forest;
  const nodes = (await store.nodes([...targets.keys()])).filter((node) => node !== undefined);
  const takes = await store.takes(nodes.map(({ id }) => id));
  const foreign = new Set(takes.filter(({ via }) => via !== 'record').map(({ node }) => node));
  await readRefs(forest, 'node', [...targets.keys()], ['moved']);
  const gone = new Set<string>();
  const refs: RefRecord[] = [];
  for (const node of nodes.sort((a, b) => b.depth - a.depth)) {
    if (foreign.has(node.id) || !(await hasOnly(forest, node.id, gone))) continue;
    gone.add(node.id);
    const target = targets.get(node.id) ?? (await lastStanding(forest, index, node));
    refs.push(makeRef(forest, 'node', node.id, 'moved', target));
  }
  return refs;
}

/** The nodes that are no longer used, each with its replacement, matched from the end of the history. */
function successors(
  index: RecordedIndex,
  before: Placement,
  after: Placement,
): [old: string, now: string | undefined][] {
  const path: string[] = [];
  for (let at = after.parent; at !== undefined && at !== ROOT; at = index.nodes.get(at)?.parent) path.push(at);
  const history = (before.added ?? []).toReversed().map((old, at): [string, string | undefined] => [old, path[at]]);
  const reply = after.node ?? after.parent;
  const others = (before.alternatives ?? []).map((old, at): [string, string | undefined] => [
    old,
    after.alternatives?.[at] ?? reply,
  ]);
  const own: [string, string | undefined][] = before.node === undefined ? [] : [[before.node, reply]];
  return [...history, ...own, ...others].filter(([old]) => !index.nodes.has(old));
}

/** Whether all children of a node are gone. */
async function hasOnly({ store }: RecordingForest, id: string, gone: ReadonlySet<string>): Promise<boolean> {
  for await (const children of allPages((page) => store.children(id, page))) {
    const others = children.map((child) => child.id).filter((child) => !gone.has(child));
    if (others.length > 0) {
      const { items } = await store.refs({ on: 'node', keys: others, names: ['moved'], limit: others.length });
      if (items.filter(({ value }) => typeof value === 'string').length < others.length) return false;
    }
  }
  return true;
}

/** The nearest ancestor that is still in use. */
async function lastStanding({ store }: RecordingForest, index: RecordedIndex, { parent }: NodeRecord): Promise<string> {
  let at = parent;
  while (at !== ROOT && !(await index.read(() => index.nodes.has(at))))
    at = (await store.nodes([at]))[0]?.parent ?? ROOT;
  return at;
}

/**
 * Updates the threads of changed exchanges: their heads move, titles that a person gave stay. A thread whose exchanges
 * turned out to belong to another one is marked as deleted, so that its notes can still be found. It stays while the exchange that
 * began it is not here: it was damaged, or has not arrived yet.
 */
async function makeThreadRefs(
  forest: RecordingForest,
  index: RecordedIndex,
  changes: readonly PlacementChange[],
): Promise<RefRecord[]> {
  const successor = new Map(changes.map(({ before, after }) => [before?.thread, after.thread]));
  const begun = new Set(
    changes.flatMap(({ before }) => ((before?.way ?? 'starts') === 'starts' ? [before?.thread] : [])),
  );
  const ids = new Set(changes.flatMap(({ before, after }) => [before?.thread, after.thread]));
  ids.delete(undefined);
  const keys = [...ids] as string[];
  const items = await readRefs(forest, 'thread', keys, NAMES);
  const there = new Map(items.map(({ key, name, value }) => [`${key} ${name}`, value]));
  const has = (name: string, id: string) => Boolean(there.get(`${id} ${name}`));
  const set = (id: string, values: Readonly<Record<string, unknown>>) =>
    Object.entries(values).map(([name, value]) => makeRef(forest, 'thread', id, name, value));
  const threads = await index.read(() => new Map(keys.map((id) => [id, index.threads.get(id)])));
  const toRefs = (id: string): RefRecord[] => {
    const thread = threads.get(id);
    if (!thread)
      return has('head', id) && begun.has(id) ? set(id, { deleted: true, mergedInto: successor.get(id) ?? '' }) : [];
    const { head, touched, title } = thread;
    const said = Object.entries(threadValues(thread)).filter(([name, value]) => there.get(`${id} ${name}`) !== value);
    return set(id, {
      head,
      touched,
      ...Object.fromEntries(said),
      ...(!has('head', id) && { start: ROOT, title }),
      ...(title !== '' && there.get(`${id} title`) === '' && { title }),
      ...(typeof there.get(`${id} mergedInto`) === 'string' && { deleted: false, mergedInto: false }),
    });
  };
  const refs: RefRecord[] = [];
  const turn = sliceWork();
  for (const id of keys) {
    refs.push(...toRefs(id));
    await turn();
  }
  const touches = keys.flatMap((thread) => {
    const known = threads.get(thread);
    const group = known && threadGroup(known);
    return known && group !== undefined ? [{ group, thread, touched: known.touched }] : [];
  });
  const heads = new Map(keys.map((id) => [id, there.get(`${id} head`)]));
  const forks = (await writtenHeads(forest, index, heads)).flatMap(([id, head]) => {
    const { created, opening } = threads.get(id)!;
    const touched = Number(there.get(`${id} touched`) ?? created);
    const title = there.get(`${id} title`);
    const fork = forkedThreadId(id, head);
    const group = openingGroupId(opening);
    touches.push(...(group === undefined ? [] : [{ group, thread: fork, touched }]));
    return set(fork, { start: ROOT, head, title, created, touched, forkedFrom: id, ...(group && { group }) });
  });
  return [...forks, ...refs, ...(await makeGroupRefs(forest, touches))];
}

/**
 * Heads that a person wrote. Writing below a recorded conversation makes a fork; in stores of older releases the page
 * wrote into the recorded thread itself, so those get their fork now.
 */
async function writtenHeads(
  { store }: RecordingForest,
  index: RecordedIndex,
  heads: ReadonlyMap<string, unknown>,
): Promise<[thread: string, head: string][]> {
  const left = await index.read(() =>
    [...heads].filter(
      (entry): entry is [string, string] =>
        typeof entry[1] === 'string' && index.threads.has(entry[0]) && !index.nodes.has(entry[1]),
    ),
  );
  if (left.length === 0) return [];
  const takes = await store.takes(left.map(([, head]) => head));
  const written = new Set(takes.filter(({ via }) => via !== 'record').map(({ node }) => node));
  return left.filter(([, head]) => written.has(head));
}

const NAMES = [
  'head',
  'title',
  'created',
  'touched',
  'deleted',
  'mergedInto',
  'recorded',
  'part',
  'session',
  'group',
  'unrecorded',
];

/** The registers of a thread beside its head; written if they change. */
function threadValues(thread: IndexThread): Readonly<Record<string, unknown>> {
  const { created, part, session, unrecorded } = thread;
  const group = threadGroup(thread);
  return {
    recorded: true,
    created,
    part,
    ...(session !== undefined && { session }),
    ...(group !== undefined && { group }),
    ...(unrecorded !== undefined && { unrecorded }),
  };
}

function threadGroup({ part, session, opening }: IndexThread): string | undefined {
  if (session !== undefined) return sessionGroupId(session);
  return part === 'side' ? SIDE_GROUP : openingGroupId(opening);
}
