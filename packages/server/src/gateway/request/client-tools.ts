import { isObject, type JsonObject, type Message, parseJson, type ToolDefinition } from '@skein/core';
import {
  createMessage,
  type LossNote,
  type RequestMeaning,
  type ServedTool,
  targetToolName,
} from '@skein/core/dialect';
import type { ClientCall, Target } from '../client/client-call.ts';
import type { OutgoingRequest } from './exchange.ts';
import type { UpstreamProtocol } from './params.ts';

/** A request whose tools the target understands. */
export interface AdaptedTools {
  readonly request: OutgoingRequest;
  /** The client's tools by the names that the target knows them by, where name or kind of call differ. */
  readonly served: ReadonlyMap<string, ServedTool>;
}

/**
 * Makes functions of the tools that the client runs and only its protocol knows, in the definitions and in the history;
 * tools of the client's vendor become those of the target, where it has the same. All others are dropped when the request
 * is written, and reported. A request in the target's own protocol goes out as it is.
 */
export function adaptTools(
  request: OutgoingRequest,
  call: Pick<ClientCall, 'dialect' | 'server'>,
  target: Target,
  upstream: UpstreamProtocol,
): AdaptedTools {
  const names = new FunctionNames(target);
  const { messages, given = messages } = request;
  if (call.dialect.id === upstream.dialect.id)
    return { request: { ...request, messages: alignCalls(messages, given, target, names) }, served: names.served };
  const meaning = call.server.meaning ?? { members: {}, params: {} };
  const losses: LossNote[] = [];
  const functions = request.tools.map((tool, index) => toFunctions(tool, index, meaning, upstream, names, losses));
  const hasFunctions = functions.some((list) => list !== undefined && list.length > 0);
  const tools = request.tools.flatMap((tool, index): readonly ToolDefinition[] => {
    const list = functions[index];
    if (list) return list;
    const kind = 'native' in tool ? meaning.readServerTool?.(parseJson(tool.native) as JsonObject) : undefined;
    const native = kind && upstream.server.meaning?.writeServerTool?.(kind, target, hasFunctions);
    if (!native) return [tool];
    losses.push({ kind: 'rewritten', path: `tools[${index}]`, reason: 'server-tool', detail: kind });
    return [{ dialect: upstream.dialect.id, native: JSON.stringify(native) }];
  });
  const { toolChoice } = request.params;
  const shown = given.map((message) => adaptMessage(message, call.dialect.id, meaning, names));
  const adapted = messages.map((message, at) => (message === given[at] ? shown[at]! : message));
  return {
    request: {
      ...request,
      tools,
      messages: alignCalls(adapted, shown, target, names),
      params: {
        ...request.params,
        ...(typeof toolChoice === 'object' && { toolChoice: { name: names.toFunction(toolChoice.name) } }),
      },
      ...(names.served.size > 0 && { calls: names.record() }),
      losses: [...request.losses, ...losses],
    },
    served: names.served,
  };
}

/** The names of the functions that a request offers, each for one tool of the client. */
class FunctionNames {
  readonly served = new Map<string, ServedTool>();
  readonly #target: Target;
  readonly #functions = new Set<string>();
  /** By the client's names. */
  readonly #renamed = new Map<string, string>();

  constructor(target: Target) {
    this.#target = target;
  }

  /** A name that no other function of the request has. */
  add(wanted: string, tool: ServedTool): string {
    let name = wanted;
    for (let count = 2; this.#functions.has(name); count++) name = `${wanted}_${count}`;
    this.#functions.add(name);
    if (name !== tool.name && !this.#renamed.has(tool.name)) this.#renamed.set(tool.name, name);
    const sent = this.toTarget(name);
    if (sent !== tool.name || tool.form !== undefined || tool.namespace !== undefined) this.served.set(sent, tool);
    return name;
  }

  /** The name of a function as the target takes it. */
  toTarget(name: string): string {
    return targetToolName(name, this.#target.provider.policies, '', []);
  }

  /** Each name of the client with the target's, for the recording. */
  record(): Record<string, string> {
    return Object.fromEntries([...this.served].map(([sent, { name }]) => [name, sent]));
  }

  /** The function that stands for a tool of the client. */
  toFunction(name: string): string {
    return this.#functions.has(name) ? name : (this.#renamed.get(name) ?? name);
  }
}

/** The functions that stand for a tool; undefined for one that the client does not run. */
function toFunctions(
  tool: ToolDefinition,
  index: number,
  meaning: RequestMeaning,
  { dialect, server }: UpstreamProtocol,
  names: FunctionNames,
  losses: LossNote[],
): readonly ToolDefinition[] | undefined {
  if (!('native' in tool)) return [{ ...tool, name: names.add(tool.name, { name: tool.name }) }];
  const native = parseJson(tool.native);
  const path = `tools[${index}]`;
  return (isObject(native) ? meaning.readClientTool?.(native, tool.native) : undefined)?.map(
    ({ served, lost = [], name, isStandIn, isStrict = false, ...others }): ToolDefinition => {
      if (isStandIn) losses.push({ kind: 'rewritten', path, reason: 'client-tool', detail: served.name });
      const strict = isStrict ? server.meaning?.writeStrictTool : undefined;
      const left = isStrict && !strict ? [...lost, 'strict'] : lost;
      if (left.length > 0) losses.push({ kind: 'dropped', path, reason: 'unknown-field', detail: left.join(', ') });
      const sent = { ...others, name: names.add(name, served) };
      if (!strict) return sent;
      return { dialect: dialect.id, native: JSON.stringify(strict({ ...sent, name: names.toTarget(sent.name) })) };
    },
  );
}

type Block = Message['content'][number];

/** A message of the client in which all calls and results are those of functions. Its own text stays as it is. */
function adaptMessage(message: Message, dialect: string, meaning: RequestMeaning, names: FunctionNames): Message {
  if (message.origin.dialect !== dialect) return message;
  const adapt = (block: Block): Block => adaptBlock(block, meaning, names, adapt);
  return changeBlocks(message, message.origin, adapt);
}

function adaptBlock(
  block: Block,
  meaning: RequestMeaning,
  names: FunctionNames,
  adapt: (block: Block) => Block,
): Block {
  switch (block.type) {
    case 'unknown': {
      const native = parseJson(block.native);
      return (isObject(native) ? meaning.readClientBlock?.(native) : undefined) ?? block;
    }
    case 'tool-use': {
      const { form, ...plain } = block;
      const name = names.toFunction(block.name);
      return form === undefined && name === block.name ? block : { ...plain, name };
    }
    case 'tool-result': {
      const content = block.content.map(adapt);
      return content.every((one, at) => one === block.content[at]) ? block : { ...block, content };
    }
    default:
      return block;
  }
}

/**
 * Restored replies with the names that the target knows, and results that name the calls of restored replies by the
 * provider's ids. `given` are the same messages as the client sent them: calls correspond by their order.
 */
function alignCalls(
  messages: readonly Message[],
  given: readonly Message[],
  { provider }: Target,
  names: FunctionNames,
): readonly Message[] {
  const ids = new Map<string, string>();
  return messages.map((message, at) => {
    const shown = given[at];
    if (!shown || shown === message) return renameResults(message, ids);
    const calls = shown.content.flatMap((block) => (block.type === 'tool-use' ? [block] : []));
    const { origin } = message;
    const isOwn = origin.dialect === provider.dialect && origin.issuer === provider.issuer;
    let count = 0;
    return changeBlocks(message, origin, (block) => {
      const call = block.type === 'tool-use' ? calls[count++] : undefined;
      if (!call || block.type !== 'tool-use') return block;
      if (call.id !== block.id) ids.set(call.id, block.id);
      const name = names.toFunction(call.name);
      return isOwn || name === block.name ? block : { ...block, name };
    });
  });
}

/** Who wrote a message whose ids are no longer those of its own text, so that it is written anew. */
const RENAMED = 'skein-gateway';

function renameResults(message: Message, ids: ReadonlyMap<string, string>): Message {
  if (!message.facts.results.some((id) => ids.has(id))) return message;
  return changeBlocks(message, { ...message.origin, issuer: RENAMED }, (block) => {
    const id = block.type === 'tool-result' ? ids.get(block.toolCallId) : undefined;
    return block.type === 'tool-result' && id !== undefined ? { ...block, toolCallId: id } : block;
  });
}

/** The message with another view of the same text, if any block changes. */
function changeBlocks(message: Message, origin: Message['origin'], change: (block: Block) => Block): Message {
  const { raw, role, facts } = message;
  const content = message.content.map(change);
  if (content.every((block, at) => block === message.content[at])) return message;
  return createMessage(raw, origin, () => ({ role, content, needs: facts.needs }));
}
