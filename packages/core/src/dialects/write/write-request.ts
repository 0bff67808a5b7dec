import { BLOCKS_ORIGIN, createMessage, type Message } from '../../message/index.ts';
import type { DialectSpec } from '../dialect.ts';
import { LossError, type LossNote } from '../loss.ts';
import { type Element, joinElement, type Manifest } from '../manifest.ts';
import type { RequestParams, WriteRequest, WrittenRequest } from '../request.ts';
import { arrange } from './arrange.ts';
import { dropUnbound } from './bind.ts';
import { upstreamFor } from './bound.ts';
import { CallTracker } from './calls.ts';
import { checkRequest } from './check-request.ts';
import { elementOf } from './elements.ts';
import { type Entry, located } from './entry.ts';
import { extraMembers } from './frame.ts';
import { placeInlineSystem } from './inline-system.ts';
import type { Job } from './job.ts';
import { joinBody } from './join-body.ts';
import { markersFor, unplaced } from './markers.ts';
import { dropped } from './notes.ts';
import { openWithUser } from './opening.ts';
import { prefixOver, prefixStart } from './prefix.ts';
import { holdsBefore, plainElements, reusable } from './reuse.ts';
import { mergeRuns } from './runs.ts';
import { settle } from './settle.ts';
import { finishTail } from './tail.ts';
import { entriesFor, isOwn, withWholeFrame } from './units.ts';
import type { Frame, RequestWriter, Target } from './writer.ts';

/**
 * Writes a request: each message becomes entries (its own text, or a translation), the entries are put in an order that
 * the target takes, and the texts are joined. The messages themselves are never changed.
 */
export function writeRequest(spec: DialectSpec, request: WriteRequest): WrittenRequest {
  const { writer } = spec;
  const messages = [...request.messages];
  checkRequest(request, messages);
  const extra = extraMembers(request.extra);
  const plainTarget = targetOf(spec, request, extra);
  const target = { ...plainTarget, upstream: upstreamFor(messages, plainTarget, extra.provider) };
  const { policies, issuer } = target.provider;
  const markers = markersFor(request.cache ?? [], messages.length, writer);
  const leading = leadingSystem(messages, writer, target);
  const frameWith = (params: RequestParams): Frame =>
    withWholeFrame(
      writer.frame(
        {
          system: [...systemMessages(request.system), ...messages.slice(0, leading)],
          tools: request.tools ?? [],
          extra,
          cache: markers,
          params,
        },
        target,
      ),
    );
  const plainFrame = frameWith(target.params);
  const start = prefixStart(plainFrame.base);
  const made = {
    version: 1,
    dialect: spec.id,
    issuer,
    model: target.model,
    ...(target.account !== undefined && { account: target.account }),
    ...(target.upstream !== undefined && { upstream: target.upstream }),
    refused: policies.refusedFields,
  } as const;
  const about = { writer, target, messages, unapproved: request.unapproved ?? [] };
  let { known, job, entries } = begin(reusable(request.previous, { ...made, start }, messages), leading, about);
  if (known && !holdsBefore(entries[0], known, job)) ({ known, job, entries } = begin(undefined, leading, about));
  const reused = known?.messages.length ?? 0;

  const continues = writer.continues?.(extra) === true;
  entries = placeInlineSystem(settle(arrange(entries, continues, job), !known, job), job);
  if (policies.alternateRoles) entries = mergeRuns(entries, job);
  const isFromOthers = ({ of }: Element): boolean =>
    of.length === 0 || of.some((index) => messages[index]!.role !== 'assistant');
  if (!known?.elements.some(isFromOthers)) entries = openWithUser(entries, job);
  entries = finishTail(entries, plainFrame.lead.length === 0 && !known, job);
  const earlier = known ? plainElements(known) : plainFrame.lead.map((text): Element => ({ of: [], pieces: [text] }));
  entries = dropUnbound(entries, () => prefixOver(start, earlier, messages), job);

  const elements = marked([...earlier, ...entries.map(elementOf)], markers.messages, job);
  const unfit: LossNote[] = [];
  const textOf = (index: number): string => joinElement(elements[index]!, (at) => messages[at]!.raw);
  const params = writer.fitParams?.(target, elements.length, textOf, unfit) ?? target.params;
  const frame = params === target.params ? plainFrame : frameWith(params);
  const stored: Omit<Manifest, 'prefix'> = {
    ...made,
    head: frame.head,
    elements,
    tail: frame.tail,
    messages: [...(known?.messages ?? []), ...messages.slice(reused).map((message) => message.facts.digest)],
    losses: [...(known?.losses ?? []), ...job.lost, ...entries.flatMap((entry) => entry.losses)],
    start,
  };
  const manifest = Object.defineProperty(stored, 'prefix', {
    get: () => prefixOver(start, elements, messages),
  }) as Manifest;
  const losses = [
    ...[...frame.losses, ...unfit].map((note) => located(note, -1)),
    ...markers.losses,
    ...unplaced(markers.messages, elements),
    ...manifest.losses,
  ];
  const lost = request.strict ? losses.filter((loss) => loss.kind === 'dropped') : [];
  if (lost.length > 0) throw new LossError(lost);
  return { ...joinBody(manifest, (index) => messages[index]!.raw), manifest, losses };
}

function targetOf(spec: DialectSpec, request: WriteRequest, extra: Readonly<Record<string, string>>): Target {
  const provider = request.provider ?? spec.home;
  if (provider.dialect !== spec.id)
    throw new TypeError(`The provider ${provider.id} speaks ${provider.dialect}, not ${spec.id}`);
  return { provider, model: request.model, account: request.account, params: request.params ?? {}, store: extra.store };
}

function systemMessages(given: WriteRequest['system']): readonly Message[] {
  if (given === undefined || given === '') return [];
  if (typeof given === 'string') return [systemText(given)];
  return Array.isArray(given) ? given : [given as Message];
}

/** Its view is known without reading its text, so that writing needs no reader of content blocks. */
function systemText(text: string): Message {
  const content = [{ type: 'text', text } as const];
  return createMessage(
    `{"role":"system","content":[{"type":"text","text":${JSON.stringify(text)}}]}`,
    BLOCKS_ORIGIN,
    () => ({ role: 'system', content, needs: [] }),
  );
}

/** How many system messages stand before all others and are not elements of their own protocol's message list. */
function leadingSystem(messages: readonly Message[], writer: RequestWriter, target: Target): number {
  const end = messages.findIndex((message) => message.role !== 'system' || writer.standsInline?.(message, target));
  return end < 0 ? messages.length : end;
}

/** What has to be written behind what is known. */
function begin(
  known: Manifest | undefined,
  leading: number,
  about: Omit<Job, 'calls' | 'lost'>,
): { known: Manifest | undefined; job: Job; entries: readonly Entry[] } {
  const job: Job = { ...about, calls: new Map(), lost: [] };
  return { known, job, entries: entriesOf(Math.max(leading, known?.messages.length ?? 0), job) };
}

/** What the messages become from an index on; the calls before it are looked at as far as its turn goes back. */
function entriesOf(first: number, job: Job): Entry[] {
  const { writer, target, messages, calls, lost } = job;
  const tracker = new CallTracker();
  const entries: Entry[] = [];
  const start = openTurn(messages, first);
  const seen = new Set(writer.refusesRepeats ? messages.slice(0, start).map((message) => message.facts.digest) : []);
  for (let index = start; index < messages.length; index++) {
    const message = messages[index]!;
    const { facts } = message;
    const answers = tracker.next(message, isOwn(message, target));
    if (facts.results.length > 0) calls.set(index, answers);
    const isRepeated = writer.refusesRepeats === true && seen.has(facts.digest);
    if (writer.refusesRepeats) seen.add(facts.digest);
    if (index < first) continue;
    const found = entriesFor(message, index, isRepeated, job);
    if (found.length === 0) lost.push(located(dropped('', facts.needs.includes('cut') ? 'cut' : 'empty'), index));
    // An entry without text only tells why there is nothing to send.
    for (const entry of found) {
      if (entry.text) entries.push(entry);
      else lost.push(...entry.losses);
    }
  }
  return entries;
}

/** Where the turn begins that goes on at an index: earlier calls are closed, whatever answers them later. */
function openTurn(messages: readonly Message[], first: number): number {
  let index = first;
  while (index > 0 && messages[index]?.role !== 'user') index--;
  return index;
}

/** Places cache markers on the last element of each message that should carry one. */
function marked(
  elements: readonly Element[],
  points: ReadonlySet<number>,
  { writer, messages }: Job,
): readonly Element[] {
  if (points.size === 0) return elements;
  const places = new Set([...points].map((point) => elements.findLastIndex((element) => element.of.includes(point))));
  return elements.map((element, index) => {
    const text = places.has(index) ? writer.mark?.(joinElement(element, (at) => messages[at]!.raw)) : undefined;
    return text === undefined ? element : { of: element.of, pieces: [text], plain: element.pieces };
  });
}
