import { BLOCKS_ORIGIN, createMessage, type Message } from '../../message/index.ts';
import type { DialectSpec } from '../dialect.ts';
import { type Loss, LossError, type LossNote } from '../loss.ts';
import { type Element, joinElement, type Manifest } from '../manifest.ts';
import type { WriteRequest, WrittenRequest } from '../request.ts';
import { type Arranging, arrange } from './arrange.ts';
import { dropUnbound } from './bind.ts';
import { CallTracker } from './calls.ts';
import { checkRequest } from './check-request.ts';
import { elementOf } from './elements.ts';
import { type Entry, entryOf, located } from './entry.ts';
import { extraMembers } from './frame.ts';
import { placeInlineSystem } from './inline-system.ts';
import { joinBody } from './join-body.ts';
import { markersFor, unplaced } from './markers.ts';
import { openWithUser } from './opening.ts';
import { prefixOver, prefixStart } from './prefix.ts';
import { plainElements, reusableMessages } from './reuse.ts';
import { mergeRuns } from './runs.ts';
import { settle } from './settle.ts';
import { finishTail } from './tail.ts';
import { isOwn, unitsOf } from './units.ts';
import type { CallLookup, Target } from './writer.ts';

/**
 * Writes a request: each message becomes units (its own text, or a translation), the units are put in an order that
 * the target takes, and the texts are joined. The messages themselves are never changed.
 */
export function writeRequest(spec: DialectSpec, request: WriteRequest): WrittenRequest {
  const { writer } = spec;
  const messages = [...request.messages];
  checkRequest(request, messages);
  const extra = extraMembers(request.extra);
  const target = targetOf(spec, request, extra);
  const markers = markersFor(request.cache ?? [], messages.length, writer);
  const leading = leadingSystem(messages, spec, target);
  const frameParts = {
    system: [...systemMessages(request.system), ...messages.slice(0, leading)],
    tools: request.tools ?? [],
    extra,
    cache: { tools: markers.tools, system: markers.system },
  };
  const plainFrame = writer.frame({ ...frameParts, params: target.params }, target);
  const start = prefixStart(plainFrame.base);
  const reused = reusableMessages(request.previous, messages, target, start);
  const known = reused > 0 ? request.previous : undefined;

  const { entries, calls, losses: unsendable } = entriesOf(messages, Math.max(leading, reused), spec, target);
  const callsFor = (index: number): CallLookup => calls.get(index) ?? NO_CALLS;
  const kit: Arranging = {
    writer,
    target,
    callsFor,
    messageAt: (index) => messages[index]!,
    continues: writer.continues?.(extra) === true,
  };
  let arranged: readonly Entry[] = placeInlineSystem(arrange(entries, kit), writer, target);
  if (target.provider.policies.alternateRoles) arranged = mergeRuns(arranged, writer);
  const isEmpty = plainFrame.lead.length === 0 && known === undefined;
  const isFromOthers = ({ of }: Element): boolean =>
    of.length === 0 || of.some((index) => messages[index]!.role !== 'assistant');
  if (!known?.elements.some(isFromOthers)) arranged = openWithUser(arranged, writer, target);
  const settled = settle(arranged, known === undefined, writer);
  const finished = finishTail(settled.entries, isEmpty, writer, target);
  const earlier = known ? plainElements(known) : plainFrame.lead.map((text): Element => ({ of: [], pieces: [text] }));
  const digests = [...(known?.messages ?? []), ...messages.slice(reused).map((message) => message.facts.digest)];
  const bound = dropUnbound(finished, () => prefixOver(start, earlier, messages), messages, writer, target, callsFor);

  const unfit: LossNote[] = [];
  const units = bound.entries.map((entry) => entry.unit);
  const params = writer.fitParams?.(target.params, units, target, unfit) ?? target.params;
  const frame = params === target.params ? plainFrame : writer.frame({ ...frameParts, params }, target);
  const elements = marked([...earlier, ...bound.entries.map(elementOf)], markers.messages, spec, messages);
  const stored: Omit<Manifest, 'prefix'> = {
    version: 1,
    dialect: spec.id,
    issuer: target.provider.issuer,
    model: target.model,
    ...(target.account !== undefined && { account: target.account }),
    refused: target.provider.policies.refusedFields,
    head: frame.head,
    elements,
    tail: frame.tail,
    messages: digests,
    losses: [
      ...(known?.losses ?? []),
      ...unsendable,
      ...settled.losses,
      ...bound.entries.flatMap((entry) => entry.losses),
      ...bound.losses,
    ],
    start,
  };
  const manifest: Manifest = Object.defineProperty(stored, 'prefix', {
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
  return { ...joinBody(manifest, known, (index) => messages[index]!.raw), manifest, losses };
}

const NO_CALLS: CallLookup = { find: () => undefined };

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
function leadingSystem(messages: readonly Message[], spec: DialectSpec, target: Target): number {
  const end = messages.findIndex(
    (message) => message.role !== 'system' || spec.writer.standsInline?.(message, target) === true,
  );
  return end < 0 ? messages.length : end;
}

interface Entries {
  readonly entries: readonly Entry[];
  readonly calls: ReadonlyMap<number, CallLookup>;
  readonly losses: readonly Loss[];
}

function entriesOf(messages: readonly Message[], first: number, spec: DialectSpec, target: Target): Entries {
  const tracker = new CallTracker();
  const calls = new Map<number, CallLookup>();
  const entries: Entry[] = [];
  const losses: Loss[] = [];
  const start = openTurn(messages, first);
  const refuses = spec.writer.refusesRepeats;
  const seen = new Set(refuses ? messages.slice(0, start).map((message) => message.facts.digest) : []);
  for (let index = start; index < messages.length; index++) {
    const message = messages[index]!;
    const { facts } = message;
    const found =
      facts.calls.length > 0 || facts.results.length > 0 ? tracker.next(message, isOwn(message, target)) : NO_CALLS;
    if (found !== NO_CALLS) calls.set(index, found);
    const isRepeated = refuses && seen.has(facts.digest);
    if (refuses) seen.add(facts.digest);
    if (index < first) continue;
    const units = isRepeated
      ? spec.writer.translate(message, target, found)
      : unitsOf(message, spec.writer, target, found);
    if (units.length === 0) losses.push(nothingLeft(message, index));
    for (const unit of units) {
      const entry = entryOf(unit, index, message);
      // A unit without text only tells why there is nothing to send.
      if (unit.text === '') losses.push(...entry.losses);
      else entries.push(entry);
    }
  }
  return { entries, calls, losses };
}

/** Where the turn begins that goes on at an index: earlier calls are closed, whatever answers them later. */
function openTurn(messages: readonly Message[], first: number): number {
  let index = first;
  while (index > 0 && messages[index]?.role !== 'user') index--;
  return index;
}

function nothingLeft(message: Message, index: number): Loss {
  const reason = message.facts.needs.includes('cut') ? 'cut' : 'empty';
  return { kind: 'dropped', message: index, path: '', reason };
}

/** Places cache markers on the last element of each message that should carry one. */
function marked(
  elements: readonly Element[],
  points: ReadonlySet<number>,
  spec: DialectSpec,
  messages: readonly Message[],
): readonly Element[] {
  if (points.size === 0) return elements;
  const places = new Set([...points].map((point) => elements.findLastIndex((element) => element.of.includes(point))));
  return elements.map((element, index) => {
    const text = places.has(index) ? spec.writer.mark?.(joinElement(element, (at) => messages[at]!.raw)) : undefined;
    return text === undefined ? element : { of: element.of, pieces: [text], plain: element.pieces };
  });
}
