import { seeRefs, setRef } from '../forest/context.ts';
import { everyItem } from '../forest/pages.ts';
import { keepCheckpoints } from '../forest/read/sent-context.ts';
import { type RefRecord, ROOT, type StoreRecord, type TakeRecord } from '../model/index.ts';
import type { Placed } from './grow.ts';
import { type Landing, nodesOf, RULES, readLanding } from './landing.ts';
import type { RecordedIndex } from './recorded-index.ts';
import type { RecordingForest } from './recorder.ts';
import { redirectsFor } from './redirects.ts';
import { threadRefs } from './thread-refs.ts';

/**
 * Writes what a projection comes to. Nodes, texts and takes are named by their content and can be written at any
 * time; where each exchange landed is written last, so that what was interrupted is found and done again.
 */
export interface TreeWriter {
  add(placed: readonly Placed[]): Promise<void>;
  /** Gives how many nodes are no longer where they were. */
  commit(index: RecordedIndex): Promise<number>;
  /** Somebody has placed exchanges by rules that this version does not know. */
  hasNewerRules(): Promise<boolean>;
  forget(): void;
}

/** Which rules exchanges were last placed by. */
const RULES_REF = { on: 'forest', key: 'placement', name: 'rules' } as const;

/** Under this name each exchange has its landing. */
export const LANDED = 'landed';

const BATCH = 500;

export function createTreeWriter(forest: RecordingForest): TreeWriter {
  const { store } = forest;
  /** As they are stored. */
  let landings: Map<string, Landing> | undefined;
  let changed = new Map<string, Landing | undefined>();
  /** Of this run: what was written for each exchange, and what was written and is no longer so. */
  let written = new Map<string, Landing>();
  let superseded: LandingChange[] = [];

  return {
    async add(placed) {
      landings ??= await storedLandings(forest);
      for (const { exchange, landing, records, checkpoint } of placed) {
        const before = landings.get(exchange);
        if (isSame(before, landing)) {
          changed.delete(exchange);
          continue;
        }
        changed.set(exchange, before);
        // What it was placed at a moment ago was written, too.
        const earlier = written.get(exchange);
        if (earlier && !isSame(earlier, landing)) superseded.push({ exchange, before: earlier, after: landing });
        written.set(exchange, landing);
        if (checkpoint) await keepCheckpoints(forest, checkpoint.node, checkpoint.thread, [checkpoint.checkpoint]);
        // A node that many share has many takes: they are looked at only where this exchange may have some.
        const isFirst = !before && !earlier && landing.found !== undefined;
        if (records.length > 0) await store.append(isFirst ? records : await withoutKnownTakes(forest, records));
      }
    },
    async commit(index) {
      landings ??= await storedLandings(forest);
      const changes = [...changed].map(([exchange, before]) => ({
        exchange,
        before,
        after: index.landings.get(exchange)!,
      }));
      const gone = superseded.map((change) => ({ ...change, after: index.landings.get(change.exchange)! }));
      changed = new Map();
      written = new Map();
      superseded = [];
      if (changes.length === 0) return 0;
      await seeRefs(
        forest,
        'forest',
        changes.map(({ exchange }) => exchange),
        [LANDED],
      );
      const redirects = await redirectsFor(forest, index, [...gone, ...changes]);
      const refs = [
        ...((await storedRules(forest)) === RULES
          ? []
          : [setRef(forest, RULES_REF.on, RULES_REF.key, RULES_REF.name, RULES)]),
        ...(await revivingRefs(forest, changes)),
        ...redirects,
        ...(await threadRefs(forest, index, changes)),
        ...changes.map(({ exchange, after }) => setRef(forest, 'forest', exchange, LANDED, after)),
      ];
      for (let at = 0; at < refs.length; at += BATCH) await store.append(refs.slice(at, at + BATCH));
      for (const { exchange, after } of changes) landings.set(exchange, after);
      return redirects.length;
    },
    hasNewerRules: async () => (await storedRules(forest)) > RULES,
    forget() {
      landings = undefined;
      changed = new Map();
      written = new Map();
      superseded = [];
    },
  };
}

async function storedRules(forest: RecordingForest): Promise<number> {
  const [ref] = await seeRefs(forest, RULES_REF.on, [RULES_REF.key], [RULES_REF.name]);
  return typeof ref?.value === 'number' ? ref.value : 0;
}

/** An exchange whose place has changed, or that has one for the first time. */
export interface LandingChange {
  readonly exchange: string;
  readonly before: Landing | undefined;
  readonly after: Landing;
}

async function storedLandings({ store, clock }: RecordingForest): Promise<Map<string, Landing>> {
  const found = new Map<string, Landing>();
  for await (const ref of everyItem((page) => store.refs({ on: 'forest', names: [LANDED], ...page }))) {
    clock.see(ref.clock);
    const landing = readLanding(ref.value);
    if (landing) found.set(ref.key, landing);
  }
  return found;
}

/** A newer version may say more of a reply, and two polls may bring it: it is one reply, and is not counted twice. */
async function withoutKnownTakes({ store }: RecordingForest, records: readonly StoreRecord[]): Promise<StoreRecord[]> {
  const nodes = new Set(records.flatMap((record) => (record.k === 'take' ? [record.node] : [])));
  const known = new Set((await store.takes([...nodes])).map(takeKey));
  return records.filter((record) => record.k !== 'take' || !known.has(takeKey(record)));
}

function takeKey({ node, exchange, via, thread = '' }: TakeRecord): string {
  return `${node} ${exchange} ${via} ${thread}`;
}

/** Nodes that had moved away and are back; a first exchange also brings back what a person had removed. */
async function revivingRefs(forest: RecordingForest, changes: readonly LandingChange[]): Promise<RefRecord[]> {
  const fresh = new Set<string>();
  const all = new Set<string>();
  for (const { before, after } of changes)
    for (const node of nodesAndParent(after)) {
      all.add(node);
      if (!before) fresh.add(node);
    }
  const hiding = await seeRefs(forest, 'node', [...all], ['moved', 'removed']);
  return hiding
    .filter(({ key, name, value }) => (name === 'moved' ? typeof value === 'string' : value === true && fresh.has(key)))
    .map(({ key, name }) => setRef(forest, 'node', key, name, false));
}

function nodesAndParent(landing: Landing): string[] {
  return [...nodesOf(landing), ...(landing.parent === undefined || landing.parent === ROOT ? [] : [landing.parent])];
}

function isSame(a: Landing | undefined, b: Landing): boolean {
  return a !== undefined && stable(a) === stable(b);
}

function stable(value: unknown): string {
  return JSON.stringify(value, (_, inner: unknown) =>
    typeof inner === 'object' && inner !== null && !Array.isArray(inner)
      ? Object.fromEntries(Object.entries(inner).sort(([a], [b]) => (a < b ? -1 : 1)))
      : inner,
  );
}
