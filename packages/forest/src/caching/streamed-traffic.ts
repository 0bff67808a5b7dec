import type { Usage } from '@skein/core';
import { type EntryRecord, packedText, type RefRecord, type TakeRecord } from '../model/records.ts';
import { EXCHANGES, readExchangeRecord, sentPartExchange, sentPartId, startOrder } from '../record/exchange.ts';
import { finalOutcome, readPlacement } from '../record/placement.ts';
import { PLACEMENT_REF } from '../record/projection/placement-refs.ts';
import {
  openSegmentScan,
  type RecordSelection,
  type ScannedRecord,
  type SegmentScan,
} from '../store/file/scan-segments.ts';
import type { RecordPlace } from '../store/file/tables/rows.ts';
import type { StoreProblem } from '../store/index.ts';
import { boundHeaders } from './cache-rules.ts';
import { createDiskSorter } from './disk-sorter.ts';
import {
  type EarlierRecorded,
  isAnswered,
  type RecordedRequest,
  type RecordedTraffic,
  type TrafficFacts,
  type TrafficPeriod,
  toFacts,
  toRequest,
} from './recorded-traffic.ts';

/** Recorded requests that are read without an index. */
export interface StreamedTraffic extends RecordedTraffic {
  /** Everything that could not be read. */
  problems(): readonly StoreProblem[];
  close(): Promise<void>;
}

/**
 * Streams the recorded requests of a folder. The parts of an exchange are anywhere in the segments, so a first pass collects what
 * is known of each exchange and where its request is, sorts that outside of memory, and a second one reads the requests in order.
 */
export function streamTraffic(folder: string, options: { readonly project?: string } = {}): StreamedTraffic {
  const scan = openSegmentScan(folder, options);
  return {
    requests: (period) => readSegments(scan, period),
    problems: scan.problems,
    close: scan.close,
  };
}

const SELECTION: RecordSelection = {
  entry: (kind, id) => {
    if (kind !== 'exchange') return 'skip';
    if (!id.includes('/')) return 'record';
    return sentPartExchange(id) === undefined ? 'skip' : 'place';
  },
  ref: { on: 'forest', name: PLACEMENT_REF },
  takesWith: 'usage',
};

/** What the first pass knows of an exchange from one record. */
type Row =
  | readonly ['exchange', clock: string, order: string, outcome: string, facts: TrafficFacts | undefined]
  | readonly ['placement', clock: string, placement: ReturnType<typeof readPlacement>]
  | readonly ['sent', clock: string, id: string, place: PlaceNumbers]
  | readonly ['usage', at: number, id: string, node: string, usage: Usage];

type PlaceNumbers = readonly [segment: number, start: number, length: number];

/** Everything about a request but its text. */
interface JoinedRequest {
  readonly facts: TrafficFacts;
  readonly usage?: Usage;
  readonly sent?: PlaceNumbers;
}

/** With the one before it in its conversation. */
interface LinkedRequest extends JoinedRequest {
  readonly previous?: JoinedRequest;
}

/** Between the key of a line and its JSON: no text in JSON has it. */
const SEPARATOR = '\0';
/** Between a conversation and the time of a request. */
const BETWEEN = '\u0001';

async function* readSegments(scan: SegmentScan, period: TrafficPeriod): AsyncGenerator<RecordedRequest> {
  const byExchange = createDiskSorter();
  const byThread = createDiskSorter();
  const byTime = createDiskSorter();
  try {
    for await (const found of scan.records(SELECTION)) {
      const row = toRow(found);
      if (row) await byExchange.add(toLine(row[0], row[1]));
    }
    for await (const [, order, joined] of joinRows(byExchange.sorted(), period))
      await byThread.add(toLine(`${joined.facts.thread ?? ''}${BETWEEN}${order}`, [order, joined]));
    byExchange.close();
    for await (const [order, linked] of linkThreads(byThread.sorted())) await byTime.add(toLine(order, linked));
    byThread.close();
    for await (const some of inGroups(byTime.sorted())) yield* readGroup(scan, some);
  } finally {
    byExchange.close();
    byThread.close();
    byTime.close();
  }
}

/** Gives each request the one before it in its conversation; those of a conversation follow each other. */
async function* linkThreads(
  lines: AsyncGenerator<string>,
): AsyncGenerator<readonly [order: string, linked: LinkedRequest]> {
  let last: JoinedRequest | undefined;
  for await (const line of lines) {
    const [, [order, joined]] = readKeyed<readonly [order: string, joined: JoinedRequest]>(line);
    const { thread } = joined.facts;
    const isSame = thread !== undefined && last?.facts.thread === thread;
    yield [order, last && isSame ? { ...joined, previous: last } : joined];
    // One without its text cannot be compared with.
    if (joined.sent) last = joined;
  }
}

function toLine(key: string, value: unknown): string {
  // A key as JSON has no line feed and no separator.
  return `${JSON.stringify(key)}${SEPARATOR}${JSON.stringify(value)}`;
}

function readKeyed<T>(line: string): readonly [key: string, value: T] {
  const at = line.indexOf(SEPARATOR);
  return [line.slice(0, at), JSON.parse(line.slice(at + 1)) as T];
}

function toRow(found: ScannedRecord): readonly [exchange: string, row: Row] | undefined {
  const { segment, start, length } = found.place;
  if ('entry' in found) {
    const { id, clock } = found.entry;
    return [sentPartExchange(id) ?? id, ['sent', clock, id, [segment, start, length]]];
  }
  const { record } = found;
  if (record.k === 'take') return takeRow(record);
  if (record.k === 'ref') return placementRow(record);
  return exchangeRow(record);
}

function takeRow({ at, id, node, exchange, usage }: TakeRecord): readonly [string, Row] | undefined {
  return exchange === undefined || usage === undefined ? undefined : [exchange, ['usage', at, id, node, usage]];
}

function placementRow({ key, clock, value }: RefRecord): readonly [string, Row] {
  const placement = readPlacement(value);
  const { state, thread, node, stop } = placement ?? {};
  const kept = state && {
    state,
    ...(thread !== undefined && { thread }),
    ...(node !== undefined && { node }),
    ...(stop && { stop: { reason: stop.reason } as typeof stop }),
  };
  return [key, ['placement', clock, kept]];
}

function exchangeRow(record: EntryRecord): readonly [string, Row] | undefined {
  if (record.of !== EXCHANGES) return undefined;
  const exchange = readExchangeRecord(record);
  if (exchange?.kind !== 'generate') return [record.id, ['exchange', record.clock, record.order, 'refused', undefined]];
  const { id, start, firstByte, provider, host, model, dialect, tags, gateway, upstream, outcome } = exchange;
  const headers = Object.entries(exchange.requestHeaders).filter(([name]) => KEPT_HEADERS.has(name));
  const facts: TrafficFacts = {
    ...{ id, start, host, tags, requestHeaders: Object.fromEntries(headers) },
    ...(firstByte !== undefined && { firstByte }),
    ...(provider !== undefined && { provider }),
    ...(model !== undefined && { model }),
    ...(dialect !== undefined && { dialect }),
    ...(gateway && { gateway }),
    ...(upstream && {
      upstream: {
        ...{ provider: upstream.provider, model: upstream.model, dialect: upstream.dialect, attempt: upstream.attempt },
      },
    }),
  };
  return [record.id, ['exchange', record.clock, record.order, outcome, facts]];
}

const KEPT_HEADERS: ReadonlySet<string> = new Set(['user-agent', ...boundHeaders()]);

/** Joins the rows of each exchange, which follow each other. */
async function* joinRows(
  lines: AsyncGenerator<string>,
  period: TrafficPeriod,
): AsyncGenerator<readonly [exchange: string, order: string, joined: JoinedRequest]> {
  let current: string | undefined;
  let rows: Row[] = [];
  for await (const line of lines) {
    const [exchange, row] = readKeyed<Row>(line);
    if (exchange !== current && current !== undefined) {
      yield* join(current, rows, period);
      rows = [];
    }
    current = exchange;
    rows.push(row);
  }
  if (current !== undefined) yield* join(current, rows, period);
}

function* join(
  exchange: string,
  rows: readonly Row[],
  { since, until = Number.POSITIVE_INFINITY }: TrafficPeriod,
): Generator<readonly [exchange: string, order: string, joined: JoinedRequest]> {
  const exchanges = rows.filter((row) => row[0] === 'exchange');
  const placements = rows.filter((row) => row[0] === 'placement');
  const [, , order = '', outcome = 'open', facts] = latest(exchanges) ?? [];
  if (!facts || facts.start >= until || (since !== undefined && order <= startOrder(since))) return;
  const placement = latest(placements)?.[2];
  const known = { kind: 'generate' as const, outcome: outcome as Parameters<typeof isAnswered>[0]['outcome'] };
  if (!isAnswered({ ...known, outcome: finalOutcome(known, placement) })) return;
  const part = sentPartId(facts.id, facts.upstream?.attempt);
  const sent = latest(rows.filter((row) => row[0] === 'sent').filter(([, , id]) => id === part))?.[3];
  const usage = rows
    .filter((row) => row[0] === 'usage')
    .filter(([, , , node]) => node === placement?.node)
    .sort((a, b) => a[1] - b[1] || (a[2] < b[2] ? -1 : 1))
    .at(-1)?.[4];
  yield [
    exchange,
    order,
    {
      facts: { ...facts, thread: placement?.thread, node: placement?.node },
      ...(usage && { usage }),
      ...(sent && { sent }),
    },
  ];
}

/** The row with the latest clock; of several, the first one. */
function latest<T extends readonly [kind: string, clock: string, ...unknown[]]>(rows: readonly T[]): T | undefined {
  return rows.reduce<T | undefined>((best, row) => (best && best[1] >= row[1] ? best : row), undefined);
}

/** How many requests are read at once, and how many bytes of them. */
const AT_ONCE = 64;
const MOST_BYTES = 2 ** 20;

async function* inGroups(lines: AsyncGenerator<string>): AsyncGenerator<LinkedRequest[]> {
  let group: LinkedRequest[] = [];
  let bytes = 0;
  for await (const line of lines) {
    const [, joined] = readKeyed<LinkedRequest>(line);
    group.push(joined);
    bytes += joined.sent?.[2] ?? 0;
    if (group.length < AT_ONCE && bytes < MOST_BYTES) continue;
    yield group;
    [group, bytes] = [[], 0];
  }
  if (group.length > 0) yield group;
}

async function* readGroup(scan: SegmentScan, group: readonly LinkedRequest[]): AsyncGenerator<RecordedRequest> {
  const places = group.flatMap(({ sent }) => (sent ? [toPlace(sent)] : []));
  const records = (await scan.read(places)).values();
  for (const { previous, ...joined } of group)
    yield {
      ...toEarlier(scan, joined),
      request: toRequest(joined.facts, joined.sent && readText(records.next().value)),
      previous: previous && toEarlier(scan, previous),
    };
}

function toEarlier(scan: SegmentScan, { facts, usage, sent }: JoinedRequest): EarlierRecorded {
  const { requestHeaders, dialect, upstream } = facts;
  const read = { requestHeaders, ...(dialect !== undefined && { dialect }), ...(upstream && { upstream }) };
  return {
    facts: toFacts(facts, usage),
    again: async () => (sent ? toRequest(read, readText((await scan.read([toPlace(sent)]))[0])) : undefined),
  };
}

function toPlace([segment, start, length]: PlaceNumbers): RecordPlace {
  return { segment, start, length };
}

function readText(record: unknown): string | undefined {
  return packedText((record as EntryRecord | undefined)?.data);
}
