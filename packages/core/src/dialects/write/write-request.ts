import { BLOCKS_ORIGIN, createMessage, type Message } from '../../message/index.ts';
import type { DialectSpec } from '../dialect.ts';
import { LossError, type LossNote } from '../loss.ts';
import { type Element, hashElements, hashStart, joinElement, type Manifest } from '../manifest.ts';
import { checkRequest, type RequestParams, type WriteRequest, type WrittenRequest } from '../request.ts';
import { dropReasoningBoundElsewhere, findUpstream } from './bound-reasoning.ts';
import { draftMessages, locate, type PlacedDraft, type RequestJob, toElement } from './drafts.ts';
import { findUnplaced, markElements, readExtra, replaceFrameSurrogates, resolveCachePoints } from './frame.ts';
import { pairCallsWithResults } from './pair-calls.ts';
import { findReusable, isReusableBefore, joinBody, plainElements, type WriteCache } from './reuse.ts';
import {
  dropUnpairedServerTools,
  endAcceptably,
  mergeConsecutiveTurns,
  openWithUser,
  rewriteMisplacedSystem,
} from './turn-order.ts';
import type { Frame, RequestWriter, Target } from './writer.ts';

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
 * Writes a request. Each message becomes drafts (its own text, or a translation), the passes make the drafts a
 * conversation that the target takes, and the drafts become the elements of the body. The messages never change.
 */
export function writeRequest(spec: DialectSpec, request: WriteRequest, cache: WriteCache): WrittenRequest {
  const { writer } = spec;
  const messages = [...request.messages];
  checkRequest(request, messages);
  const extra = readExtra(request.extra);
  const target = findTarget(spec, request, messages, extra);
  const markers = resolveCachePoints(request.cache ?? [], messages.length, writer);
  const leading = countLeadingSystem(messages, writer, target);
  const system = [...toSystemMessages(request.system), ...messages.slice(0, leading)];
  const called = () => messages.flatMap(({ facts }) => facts.calls.map(({ name }) => name));
  const frameWith = (params: RequestParams): Frame =>
    replaceFrameSurrogates(
      writer.frame({ system, tools: request.tools ?? [], extra, cache: markers, params, called }, target),
    );
  const plainFrame = frameWith(target.params);

  const start = hashStart(plainFrame.base);
  const identity = identify(spec, target);
  const startJob = (previous?: Manifest): RequestJob => ({
    writer,
    target,
    messages,
    cache,
    leading,
    previous,
    earlier: previous ? plainElements(previous) : plainFrame.lead.map((text): Element => ({ of: [], pieces: [text] })),
    start,
    continues: writer.continues?.(extra) === true,
    unapproved: request.unapproved ?? [],
    calls: new Map(),
    lost: [],
  });
  let job = startJob(findReusable(request.previous, { ...identity, start }, messages));
  let drafts = draftMessages(job);
  if (job.previous && !isReusableBefore(drafts[0], job.previous, messages, target)) {
    job = startJob();
    drafts = draftMessages(job);
  }

  for (const pass of PASSES) drafts = pass(drafts, job);

  const plain = [...job.earlier, ...drafts.map((draft) => toElement(draft, cache))];
  const elements = markElements(plain, markers.messages, writer, messages);
  const rawOf = (index: number): string => messages[index]!.raw;
  const unfit: LossNote[] = [];
  const textOf = (index: number): string => joinElement(elements[index]!, rawOf);
  const params = writer.fitParams?.(target, elements.length, textOf, unfit) ?? target.params;
  const frame = params === target.params ? plainFrame : frameWith(params);
  const known = job.previous?.messages ?? [];
  const stored: Omit<Manifest, 'prefix'> = {
    ...identity,
    head: frame.head,
    elements,
    tail: frame.tail,
    messages: [...known, ...messages.slice(known.length).map((message) => message.facts.digest)],
    losses: [...(job.previous?.losses ?? []), ...job.lost, ...drafts.flatMap((draft) => draft.losses)],
    start,
  };
  const manifest = Object.defineProperty(stored, 'prefix', {
    get: () => hashElements(start, elements, messages, cache),
  }) as Manifest;
  const losses = [
    ...[...frame.losses, ...unfit].map((note) => locate(note, -1)),
    ...markers.losses,
    ...findUnplaced(markers.messages, elements),
    ...manifest.losses,
  ];
  const lost = request.strict ? losses.filter((loss) => loss.kind === 'dropped') : [];
  if (lost.length > 0) throw new LossError(lost);
  return { ...joinBody(manifest, rawOf, cache), manifest, losses };
}

function findTarget(
  spec: DialectSpec,
  request: WriteRequest,
  messages: readonly Message[],
  extra: Readonly<Record<string, string>>,
): Target {
  const { model, account, params = {}, provider = spec.home } = request;
  if (provider.dialect !== spec.id)
    throw new TypeError(`The provider ${provider.id} speaks ${provider.dialect}, not ${spec.id}`);
  const target: Target = { provider, model, account, params, store: extra.store };
  return { ...target, upstream: findUpstream(messages, target, extra.provider) };
}

/** The members of a manifest that say for whom it was written. */
function identify(spec: DialectSpec, { provider, model, account, upstream }: Target) {
  return {
    version: 1,
    dialect: spec.id,
    issuer: provider.issuer,
    model,
    ...(account !== undefined && { account }),
    ...(upstream !== undefined && { upstream }),
    refused: provider.policies.refusedFields,
  } as const;
}

function toSystemMessages(given: WriteRequest['system']): readonly Message[] {
  if (given === undefined || given === '') return [];
  if (typeof given === 'string') return [toSystemMessage(given)];
  return Array.isArray(given) ? given : [given as Message];
}

/** Gives the message its view, so that writing a request does not need the reader of content blocks. */
function toSystemMessage(text: string): Message {
  const content = [{ type: 'text', text } as const];
  return createMessage(
    `{"role":"system","content":[{"type":"text","text":${JSON.stringify(text)}}]}`,
    BLOCKS_ORIGIN,
    () => ({ role: 'system', content, needs: [] }),
  );
}

/** How many system messages stand at the front and are not elements of the protocol's message list. */
function countLeadingSystem(messages: readonly Message[], writer: RequestWriter, target: Target): number {
  const end = messages.findIndex((message) => message.role !== 'system' || writer.standsInline?.(message, target));
  return end < 0 ? messages.length : end;
}
