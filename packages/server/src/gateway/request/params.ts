import {
  canonical,
  type Dialect,
  isObject,
  type JsonObject,
  type Loss,
  parseJson,
  type RequestParams,
} from '@skein/core';
import {
  type DialectServer,
  formatOutput,
  type LossNote,
  type MemberMeaning,
  type MemberValue,
  type OutputRequest,
  type RequestMeaning,
  type RequestSetting,
  type ServerToolKind,
} from '@skein/core/dialect';
import { ANSWER_TOOL, askByTool } from '../client/answer-tool.ts';
import type { ClientCall, Target } from '../client/client-call.ts';
import { ClientRefusal } from '../client/client-error.ts';
import type { OutgoingRequest } from './exchange.ts';
import { fitReasoning } from './reasoning.ts';

/** The protocol of a target, and the side of it that knows what requests mean. */
export interface UpstreamProtocol {
  readonly dialect: Dialect;
  readonly server: DialectServer;
}

/** A request as it goes to a target, and what the gateway does itself, because the target does not. */
export interface AdaptedRequest extends OutgoingRequest {
  /** How many replies the client wants. */
  readonly copies: number;
  /** Where the gateway ends a reply. */
  readonly stops: readonly string[];
}

/**
 * Says in the target's words what the client's parameters mean. What the target has no counterpart for is done by the
 * gateway, refused with a `ClientRefusal`, or reported as lost. A request in the target's own protocol goes out as it is.
 */
export function adaptParams(
  request: OutgoingRequest,
  call: Pick<ClientCall, 'dialect' | 'server'>,
  target: Target,
  upstream: UpstreamProtocol,
): AdaptedRequest {
  if (call.dialect.id === upstream.dialect.id) return { ...request, copies: 1, stops: [] };
  const reading = new RequestReading(call.server.meaning ?? NO_MEANING, target);
  for (const [name, text] of Object.entries(request.extra)) reading.read(name, parseJson(text));
  const { losses } = reading;
  const meaning = upstream.server.meaning ?? NO_MEANING;
  const wanted = mergeParams(request.params, reading.params);
  const { stop, ...others } = dropRefused(wanted, meaning.refusedParams?.(target, wanted) ?? [], losses);
  const reasoning = fitReasoning(wanted.reasoning, meaning.reasoning?.(target), losses);
  const { reasoning: _, ...plain } = others;
  const isCut = stop !== undefined && !takesStops(stop, meaning.stops?.(target));
  const params: RequestParams = { ...plain, ...(reasoning && { reasoning }), ...(stop && !isCut && { stop }) };
  const tools = [...request.tools];
  for (const kind of reading.serverTools) {
    const native = meaning.writeServerTool?.(kind, target, tools.length > 0);
    if (native) tools.push({ dialect: upstream.dialect.id, native: JSON.stringify(native) });
    else losses.push(dropped(kind, 'server-tool'));
  }
  const { members = {}, ...asked } = reading.output
    ? askForOutput(reading.output, { tools, params }, target, upstream)
    : {};
  if ('tools' in asked)
    losses.push({ kind: 'rewritten', path: reading.output!.path, reason: 'parameter', detail: ANSWER_TOOL });
  const extra = writeSettings(reading.settings, meaning, target, params, losses);
  return {
    ...request,
    ...{ params, tools, ...asked },
    ...('tools' in asked && { isAnswerCalled: true }),
    extra: toTexts(mergeObjects(extra, members)),
    losses: [...request.losses, ...losses],
    copies: reading.copies,
    stops: isCut ? stop : [],
  };
}

const NO_MEANING: RequestMeaning = { members: {}, params: {} };

function dropped(path: string, reason: LossNote['reason'], detail?: string): LossNote {
  return { kind: 'dropped', path, reason, ...(detail !== undefined && { detail }) };
}

/** A setting as the client asks for it, in the word that all protocols share. */
interface WantedSetting {
  readonly value: unknown;
  /** The client's member. */
  readonly path: string;
  readonly otherwise: MemberMeaning['otherwise'];
}

/** What the members of a client's request ask for. */
class RequestReading {
  params: RequestParams = {};
  output: (OutputRequest & { readonly path: string }) | undefined;
  copies = 1;
  readonly settings = new Map<RequestSetting, WantedSetting>();
  readonly serverTools = new Set<ServerToolKind>();
  readonly losses: LossNote[] = [];
  readonly #meaning: RequestMeaning;
  readonly #target: Target;

  constructor(meaning: RequestMeaning, target: Target) {
    this.#meaning = meaning;
    this.#target = target;
  }

  read(given: string, value: unknown, parent = ''): void {
    const name = this.#meaning.spell?.(given) ?? given;
    const path = parent === '' ? name : `${parent}.${name}`;
    const { members } = this.#meaning;
    const member = members[path];
    if (member) this.#take(path, member, value);
    else if (isObject(value) && Object.keys(members).some((known) => known.startsWith(`${path}.`)))
      for (const [inner, one] of Object.entries(value)) this.read(inner, one, path);
    else if (value !== null) this.losses.push(dropped(path, 'parameter'));
  }

  #take(path: string, member: MemberMeaning, value: unknown): void {
    const { setting, words, read, otherwise, idle = [] } = member;
    const isIdle = value === null || idle.some((one) => isSame(one, value));
    if (isIdle || (otherwise === 'served' && !read)) return;
    const found = words ? words.find(([native]) => isSame(native, value))?.[1] : value;
    if (setting !== undefined && found !== undefined) this.settings.set(setting, { value: found, path, otherwise });
    else {
      const reading = read?.(value);
      if (reading) this.#add(path, reading);
      else if (otherwise === 'refused') throw refuse(path, this.#target);
      else this.losses.push(dropped(path, 'parameter'));
    }
  }

  #add(path: string, { params, settings, output, copies, serverTool, lost = [] }: MemberValue): void {
    if (params) this.params = mergeParams(this.params, params);
    for (const [setting, value] of Object.entries(settings ?? {}))
      this.settings.set(setting as RequestSetting, { value, path, otherwise: 'reported' });
    // A schema says more than the wish for any JSON.
    if (output && !this.output?.schema) this.output = { ...output, path };
    if (copies !== undefined) this.copies = copies;
    if (serverTool) this.serverTools.add(serverTool);
    for (const name of lost) this.losses.push(dropped(`${path}.${name}`, 'parameter'));
  }
}

function isSame(one: unknown, other: unknown): boolean {
  return one === other || canonical(JSON.stringify(one)) === canonical(JSON.stringify(other));
}

function targetName({ provider, model }: Target): string {
  return `${provider.id}/${model}`;
}

function refuse(param: string, target: Target, why = 'is not supported with this model'): ClientRefusal {
  return new ClientRefusal(
    `Unsupported parameter: '${param}' ${why} (${targetName(target)}). Leave it out, or ask a model that has it.`,
    { param },
  );
}

/** Parameters of both; reasoning is merged, and switched off if either says so. */
function mergeParams(a: RequestParams, b: RequestParams): RequestParams {
  const reasoning = a.reasoning && b.reasoning ? { ...a.reasoning, ...b.reasoning } : (a.reasoning ?? b.reasoning);
  const isOff = a.reasoning?.effort === 'none' || b.reasoning?.effort === 'none';
  return { ...a, ...b, ...(reasoning && { reasoning: isOff ? { effort: 'none' } : reasoning }) };
}

function dropRefused(
  params: RequestParams,
  refused: readonly (keyof RequestParams)[],
  losses: LossNote[],
): RequestParams {
  const given = refused.filter((name) => params[name] !== undefined);
  // A model that takes no such parameter has the value 1.
  for (const name of given) if (params[name] !== 1) losses.push(dropped(`params.${name}`, 'parameter'));
  return Object.fromEntries(Object.entries(params).filter(([name]) => !given.some((one) => one === name)));
}

function takesStops(stop: readonly string[], rule: { most: number; pattern?: RegExp } = { most: 0 }): boolean {
  return stop.length <= rule.most && stop.every((one) => rule.pattern?.test(one) ?? true);
}

/** What asks for JSON: members, or a tool that is called with it. A program that wants JSON relies on it. */
function askForOutput(
  { schema, path }: OutputRequest & { readonly path: string },
  given: Pick<OutgoingRequest, 'tools' | 'params'>,
  target: Target,
  { dialect, server }: UpstreamProtocol,
): Partial<Pick<OutgoingRequest, 'tools' | 'params'>> & { readonly members?: JsonObject } {
  const hasTools = given.tools.length > 0;
  const members = schema ? formatOutput({ ...target, dialect }, schema, hasTools) : server.meaning?.jsonObject;
  if (members) return { members };
  const asked = askByTool(schema, given, target);
  if (!asked)
    throw refuse(path, target, schema ? 'asks for a schema, which is not supported with this model' : undefined);
  return asked;
}

/** The settings in the target's members. What it has no member or no word for is reported, or refused. */
function writeSettings(
  settings: ReadonlyMap<RequestSetting, WantedSetting>,
  { members }: RequestMeaning,
  target: Target,
  params: RequestParams,
  losses: LossNote[],
): JsonObject {
  let body: JsonObject = {};
  for (const [setting, { value, path }] of settings) {
    const [place, member] = Object.entries(members).find(([, one]) => one.setting === setting) ?? [];
    const isTaken = member?.isTaken?.(target) ?? true;
    const native = member && isTaken ? nativeValue(member, value) : undefined;
    const { effort = 'none', budget } = params.reasoning ?? {};
    const isMisplaced = member?.needsReasoning === true && effort === 'none';
    if (place === undefined || native === undefined || isMisplaced) {
      // Who does not show thoughts hides them, too; models that reason by a number of tokens show them anyway.
      const isSo = value === 'hidden' || (isMisplaced && budget !== undefined);
      if (!isSo) losses.push(dropped(path, 'parameter', setting));
    } else body = mergeObjects(body, nest(place.split('.'), native));
  }
  return body;
}

function nativeValue({ words, maxLength }: MemberMeaning, value: unknown): unknown {
  if (typeof value === 'string' && maxLength !== undefined && value.length > maxLength) return undefined;
  return words ? words.find(([, word]) => word === value)?.[0] : value;
}

function nest([name = '', ...rest]: readonly string[], value: unknown): JsonObject {
  return { [name]: rest.length === 0 ? value : nest(rest, value) };
}

function mergeObjects(a: JsonObject, b: JsonObject): JsonObject {
  const merged = Object.entries(b).map(([name, value]) => {
    const known = a[name];
    return [name, isObject(known) && isObject(value) ? mergeObjects(known, value) : value];
  });
  return { ...a, ...Object.fromEntries(merged) };
}

function toTexts(body: JsonObject): Record<string, string> {
  return Object.fromEntries(Object.entries(body).map(([name, value]) => [name, JSON.stringify(value)]));
}

/**
 * Throws a `ClientRefusal` if writing the request for the target lost what the client's program relies on: a call that
 * it forces, a kind of content that it wants, an answer that it has begun.
 */
export function refuseReliedOn(
  losses: readonly (Loss | LossNote)[],
  { params, tools }: OutgoingRequest,
  target: Target,
): void {
  const { toolChoice } = params;
  const isForced = tools.length > 0 && (toolChoice === 'required' || typeof toolChoice === 'object');
  for (const { path, reason, kind } of losses) {
    if (path === 'params.toolChoice' && kind === 'dropped' && isForced)
      throw refuse('tool_choice', target, 'forces a call, which is not supported with this model');
    if (path === 'params.modalities' && kind === 'dropped') throw refuse('modalities', target);
    if (reason === 'prefill' && kind === 'synthesised')
      throw new ClientRefusal(
        `This model does not support assistant message prefill (${targetName(target)}). The conversation must end with a user message.`,
        { param: 'messages' },
      );
  }
}

/** Losses of parameters under the names that the client has for them. */
export function nameParams<T extends LossNote>(
  losses: readonly T[],
  names: RequestMeaning['params'] = {},
): readonly T[] {
  return losses.map((loss) => {
    const param = /^params\.(\w+)/.exec(loss.path)?.[1];
    const name = param && names[param as keyof RequestParams];
    return param === undefined ? loss : { ...loss, path: name ?? param };
  });
}
