import { checkMessages, ListFold, type Message, textMessage } from '../../message/message.ts';
import type { Dialect } from '../dialect.ts';
import { type Loss, LossError, type LossNote, rewritten } from '../loss.ts';
import { type Element, hashElements, joinElement, type Manifest } from '../manifest.ts';
import { checkRequest, type RequestParams, type WriteRequest, type WrittenRequest } from '../request.ts';
import { CallTracker, draftMessages, isOwn, locate, type PlacedDraft, type RequestJob, toElement } from './drafts.ts';
import { findUnplaced, markElements, readExtra, replaceFrameSurrogates, resolveCachePoints } from './frame.ts';
import { dropReasoningBoundElsewhere, findUpstream } from './own-message.ts';
import {
  cacheOf,
  findReusable,
  isReusableBefore,
  joinBody,
  type ManifestSource,
  plainElements,
  type SettledStart,
  type StartConditions,
  type WriteCache,
} from './reuse.ts';
import {
  dropUnpairedServerTools,
  endAcceptably,
  mergeConsecutiveTurns,
  openWithUser,
  pairCallsWithResults,
  rewriteMisplacedSystem,
} from './turn-order.ts';
import type { Draft, Frame, RequestWriter, Target } from './writer.ts';

/** What is ensured of the drafts before they become elements of the body, in this order. */
const PASSES: readonly ((drafts: readonly PlacedDraft[], job: RequestJob) => readonly PlacedDraft[])[] = [
  pairCallsWithResults,
  dropUnpairedServerTools,
  rewriteMisplacedSystem,
  mergeConsecutiveTurns,
  openWithUser,
  endAcceptably,
  dropReasoningBoundElsewhere,
];

/**
 * Writes a request in a protocol. Each message becomes drafts (its own text, or a translation), the passes make the drafts
 * a conversation that the target takes, and the drafts become the elements of the body. The messages never change. What an
 * earlier request settled is not written again.
 *
 * @example
 * const { body, losses } = writeRequest(openaiChat, { model: 'gpt-5.5', messages: [user('Hello')] });
 */
export function writeRequest(dialect: Dialect, request: WriteRequest): WrittenRequest {
  const { writer } = dialect;
  const cache = cacheOf(dialect);
  const messages = checkMessages(request.messages);
  checkRequest(request, messages);
  const extra = readExtra(request.extra);
  const target = findTarget(dialect, request, messages, extra);
  const markers = resolveCachePoints(request.cache ?? [], messages.length, writer, target);
  const texts = countLeadingSystem(messages, writer, target);
  const replaced = countReplaced(messages, writer, target, cache);
  const leading = Math.max(texts, replaced);
  const system = [...toSystemMessages(request.system), ...messages.slice(0, texts)];
  const called = () => messages.flatMap(({ facts }) => facts.calls.map(({ name }) => name));
  const frameWith = (params: RequestParams): Frame =>
    replaceFrameSurrogates(
      writer.frame({ system, tools: request.tools ?? [], extra, cache: markers, params, called }, target),
    );
  const plainFrame = frameWith(target.params);

  const start = cache.hashBase(plainFrame.base);
  const identity = identify(dialect, target);
  const continues = writer.continues?.(extra) === true;
  const conditions = { target, start, leading, continues, unapproved: request.unapproved ?? [] };
  const begin = (previous?: Manifest): RequestJob => ({
    ...beginJob(writer, conditions, messages, plainFrame, cache, previous),
    continuesReply: request.continuesReply === true,
  });
  const usable = replaced < (request.previous?.messages.length ?? 0) ? request.previous : undefined;
  let job = begin(findReusable(usable, { ...identity, start }, messages, cache));
  let passed = passDrafts(draftMessages(job), job);
  if (job.previous && !isReusableBefore(passed.drafted[0], job.previous, job)) {
    job = begin();
    passed = passDrafts(draftMessages(job), job);
  }
  // Without the turn behind it, a start is not settled.
  while (job.begun && findTurn(passed.drafts, job.begun.count, true) === undefined) {
    job = begin();
    passed = passDrafts(draftMessages(job), job);
  }
  const { begun, previous, earlier } = job;
  const { drafts, lost } = passed;

  const plain = earlier.concat(drafts.map((draft) => toElement(draft, cache)));
  const elements = markElements(plain, markers.messages, writer, messages);
  const rawOf = (index: number): string => messages[index]!.raw;
  const unfit: LossNote[] = [];
  const textOf = (index: number): string => joinElement(elements[index]!, rawOf);
  const params = writer.fitParams?.(target, elements.length, textOf, unfit) ?? target.params;
  const frame = params === target.params ? plainFrame : frameWith(params);
  const known = previous?.messages ?? begun?.digests.slice(0, begun.count) ?? [];
  const stored: Omit<Manifest, 'prefix'> = {
    ...identity,
    head: frame.head,
    elements,
    tail: frame.tail,
    messages: known.concat(messages.slice(known.length).map((message) => message.facts.digest)),
    losses: [
      ...(previous?.losses ?? []),
      ...lost.flat(),
      ...(begun?.losses ?? []),
      ...drafts.flatMap((draft) => draft.losses),
    ],
    start,
  };
  const settled = settle(job, conditions, passed, plain, stored.messages);
  const manifest = finishManifest(stored, job, plain, settled);
  const losses = [
    ...[...frame.losses, ...unfit].map((note) => locate(note, -1)),
    ...markers.losses,
    ...findUnplaced(markers.messages, elements),
    ...(replaced > texts ? [locate(rewritten('', 'compacted', `${replaced - texts}`), texts)] : []),
    ...manifest.losses,
  ];
  const refused = request.strict ? losses.filter((loss) => loss.kind === 'dropped') : [];
  if (refused.length > 0) throw new LossError(refused);
  const marked = elements === plain ? -1 : elements.findIndex((element) => element.plain !== undefined);
  const parts = {
    manifest,
    unmarked: marked < 0 ? elements.length : marked,
    settled: settled?.size ?? earlier.length,
    shared: { elements: (begun ?? previous)?.elements, size: earlier.length },
  };
  return Object.assign(joinBody(parts, rawOf, cache), { manifest, losses });
}

/** Where a request goes on from: a previous request, a settled start, or nothing. */
function beginJob(
  writer: RequestWriter,
  conditions: StartConditions,
  messages: readonly Message[],
  { lead }: Frame,
  cache: WriteCache,
  previous: Manifest | undefined,
): Omit<RequestJob, 'continuesReply'> {
  const begun = previous ? undefined : cache.takeStart(messages, conditions);
  const source = previous && cache.sources.get(previous);
  const earlier = previous
    ? plainElements(previous, cache)
    : (begun?.elements.slice(0, begun.size) ?? lead.map((text): Element => ({ of: [], pieces: [text] })));
  const { start } = conditions;
  const seen = begun?.seen ?? source?.seen ?? new Set(writer.refusesRepeats ? previous?.messages : undefined);
  if (source) source.seen = undefined;
  return {
    ...conditions,
    ...{ writer, messages, cache, previous, begun, earlier, seen },
    boundary: previous ? undefined : findBoundary(messages, conditions.leading, begun),
    prefix: () => begun?.prefix ?? source?.prefix ?? hashElements(start, earlier, messages, cache),
    tracker: begun?.tracker ?? new CallTracker(),
    calls: new Map(),
    lost: [...(begun?.lost[0] ?? [])],
  };
}

/** The last assistant message behind a message of another role: what stands before it is settled. */
function findBoundary(messages: readonly Message[], leading: number, begun: SettledStart | undefined) {
  for (let index = messages.length - 1; index > (begun?.count ?? leading); index--)
    if (messages[index]!.role === 'assistant' && messages[index - 1]!.role !== 'assistant') return index;
  return begun?.count;
}

/** Drafts before and after all passes, and the losses of each pass behind those of drafting. */
interface PassedDrafts {
  readonly drafted: readonly PlacedDraft[];
  readonly drafts: readonly PlacedDraft[];
  readonly lost: readonly (readonly Loss[])[];
}

function passDrafts(drafted: readonly PlacedDraft[], job: RequestJob): PassedDrafts {
  let drafts = drafted;
  const lost = [job.lost];
  PASSES.forEach((pass, index) => {
    lost.push([...(job.begun?.lost[index + 1] ?? [])]);
    drafts = pass(drafts, { ...job, lost: lost.at(-1)! });
  });
  return { drafted, drafts, lost };
}

/** Remembers the start of a request up to the boundary, if the drafts begin a turn there. */
function settle(
  { writer, messages, cache, begun, boundary, earlier, tracker, seen }: RequestJob,
  conditions: StartConditions,
  { drafted, drafts, lost }: PassedDrafts,
  elements: readonly Element[],
  digests: readonly string[],
): SettledStart | undefined {
  if (boundary === undefined) return undefined;
  if (boundary === begun?.count) {
    cache.putStart(begun);
    return begun;
  }
  const first = findTurn(drafted, boundary);
  const at = findTurn(drafts, boundary);
  if (first === undefined || at === undefined) return undefined;
  const serverTools = [...(begun?.serverTools ?? []), ...findServerTools(drafted.slice(0, first), writer)];
  // A call of such a tool may still be answered.
  if (writer.dropUnpaired?.([...serverTools, ANYTHING], true).size) return undefined;
  const start: SettledStart = {
    ...{ conditions, messages, count: boundary, digests, elements, size: earlier.length + at },
    prefix: undefined,
    lost: lost.map((losses) => losses.filter(({ message }) => message < boundary)),
    losses: [...(begun?.losses ?? []), ...drafts.slice(0, at).flatMap((draft) => draft.losses)],
    ...{ tracker, seen, serverTools },
  };
  cache.putStart(start);
  return start;
}

/** The index of the draft with which the turn of an assistant message begins. */
function findTurn(drafts: readonly PlacedDraft[], message: number, isFirst = false): number | undefined {
  const at = drafts.findIndex(({ of }) => of[0]! >= message);
  const draft = drafts[at];
  const begins = draft?.of[0] === message && draft.role === 'assistant';
  return begins && (isFirst ? at === 0 : at > 0 && drafts[at - 1]!.role !== 'assistant') ? at : undefined;
}

function findServerTools(drafts: readonly PlacedDraft[], writer: RequestWriter): readonly PlacedDraft[] {
  if (!writer.dropUnpaired) return [];
  return drafts.filter((draft) => writer.usesServerTools?.(draft) ?? true);
}

const ANYTHING: Draft = { role: 'user', text: '', calls: [], results: [], losses: [] };

/** Adds the prefix hash to a manifest, and remembers what the next request needs that goes on from it. */
function finishManifest(
  stored: Omit<Manifest, 'prefix'>,
  { messages, cache, seen, previous, begun, earlier, start }: RequestJob,
  plain: readonly Element[],
  settled: SettledStart | undefined,
): Manifest {
  const source: ManifestSource = { messages, plain, prefix: undefined, seen: previous && seen };
  /** Computes the hash from a place whose hash is known, and that of the settled start on the way. */
  const hash = (from: string, first: number): string => {
    const size = settled?.size ?? first;
    const middle = hashElements(from, plain.slice(first, size), messages, cache);
    if (settled) settled.prefix = middle;
    return hashElements(middle, plain.slice(size), messages, cache);
  };
  const known = begun?.prefix ?? (previous && cache.sources.get(previous)?.prefix);
  if (known !== undefined) source.prefix = hash(known, earlier.length);
  const manifest = new LazyManifest(stored, () => {
    source.prefix ??= hash(start, 0);
    return source.prefix;
  }) as unknown as Manifest;
  cache.sources.set(manifest, source);
  return manifest;
}

/** A manifest whose prefix hash is computed on access, and not saved. With a getter of its own, each would be slow to make. */
class LazyManifest {
  readonly #prefix: () => string;

  constructor(stored: Omit<Manifest, 'prefix'>, prefix: () => string) {
    Object.assign(this, stored);
    this.#prefix = prefix;
  }

  get prefix(): string {
    return this.#prefix();
  }
}

function findTarget(
  dialect: Dialect,
  request: WriteRequest,
  messages: readonly Message[],
  extra: Readonly<Record<string, string>>,
): Target {
  const { model, account, params = {}, provider = dialect.home } = request;
  if (provider.dialect !== dialect.id)
    throw new TypeError(`The provider ${provider.id} speaks ${provider.dialect}, not ${dialect.id}`);
  const target: Target = { provider, model, account, params, store: extra.store };
  return { ...target, upstream: findUpstream(messages, target, extra.provider) };
}

/** The members of a manifest that say for whom it was written. */
function identify(dialect: Dialect, { provider, model, account, upstream }: Target) {
  return {
    version: 1,
    dialect: dialect.id,
    issuer: provider.issuer,
    model,
    ...(account !== undefined && { account }),
    ...(upstream !== undefined && { upstream }),
    refused: provider.policies.refusedFields,
  } as const;
}

function toSystemMessages(given: WriteRequest['system']): readonly Message[] {
  if (given === undefined || given === '') return [];
  if (typeof given === 'string') return [textMessage('system', given)];
  return Array.isArray(given) ? given : [given as Message];
}

/** How many system messages stand at the front and are not elements of the protocol's message list. */
function countLeadingSystem(messages: readonly Message[], writer: RequestWriter, target: Target): number {
  const end = messages.findIndex((message) => message.role !== 'system' || writer.standsInline?.(message, target));
  return end < 0 ? messages.length : end;
}

/** How many messages are not sent, because a later one stands for them: a summary that the API wrote itself. */
function countReplaced(
  messages: readonly Message[],
  { beginsConversation }: RequestWriter,
  target: Target,
  cache: WriteCache,
): number {
  if (!beginsConversation) return 0;
  const { dialect } = target.provider;
  cache.beginnings ??= new ListFold<number[]>(
    () => [],
    (found, message, index) => {
      if (message.role === 'assistant' && message.origin.dialect === dialect && beginsConversation(message))
        found.push(index);
    },
  );
  return cache.beginnings.fold(messages).findLast((index) => isOwn(messages[index]!, target)) ?? 0;
}
