import {
  type Approval,
  assistant,
  type ContentBlock,
  type FunctionTool,
  isObject,
  type JsonObject,
  type Message,
  type ToolUseBlock,
  toolResult,
  user,
} from '@skein/core';
import type { TurnEvent } from '@skein/core/ui';
import type { Forest, ForestNode } from '../forest/index.ts';
import { toMedia } from '../formats/importers/source-conversation.ts';
import {
  type ChatProtocol,
  type ChatRoute,
  type ChatRouteSettings,
  createChatRoute,
  type TurnWriter,
} from './chat-route.ts';
import { type PostedMessage, type PostedTurn, refusal } from './turn.ts';

/**
 * Makes the route that clients of the AG-UI protocol talk to, such as its `HttpAgent` or CopilotKit. Calls that need
 * approval are interrupts; tools that the client brings run in the client.
 *
 * @example
 * const forest = await openForest('file:./conversations');
 * export const POST = agentRoute(forest, { model: 'anthropic/claude-sonnet-5' });
 */
export function agentRoute(forest: Forest, settings: ChatRouteSettings): ChatRoute {
  return createChatRoute(forest, settings, agUi);
}

const agUi: ChatProtocol = {
  headers: {},
  readTurn,
  writeTurn: (turn) => new AgUiWriter(turn),
  writeMessages: (nodes) => nodes.flatMap(toAgUiMessages),
};

const EXPECTED = 'post a RunAgentInput of AG-UI, with "threadId" and "messages".';

function readTurn(body: string): PostedTurn {
  const { threadId, runId, messages, tools, resume } = parse(body);
  if (typeof threadId !== 'string' || threadId === '' || !Array.isArray(messages))
    throw refusal(400, `The body is incomplete: ${EXPECTED}`);
  const posted = readMessages(messages.filter(isObject));
  const decisions = Object.fromEntries(Array.isArray(resume) ? resume.flatMap(readDecision) : []);
  const last = posted.at(-1);
  if (last) posted[posted.length - 1] = { ...last, answers: { ...last.answers, ...decisions } };
  return {
    chat: threadId,
    ...(typeof runId === 'string' && { run: runId }),
    messages: posted,
    isWhole: true,
    again: false,
    tools: Array.isArray(tools) ? tools.flatMap(readTool) : [],
  };
}

function parse(body: string): JsonObject {
  try {
    const value: unknown = JSON.parse(body);
    if (isObject(value)) return value;
  } catch {
    // Said below.
  }
  throw refusal(400, `The body is not a JSON object: ${EXPECTED}`);
}

function readTool(value: unknown): FunctionTool[] {
  if (!isObject(value) || typeof value.name !== 'string') return [];
  const { name, description, parameters } = value;
  return [
    {
      name,
      ...(typeof description === 'string' && { description }),
      parameters: isObject(parameters) ? parameters : { type: 'object', properties: {} },
    },
  ];
}

/** The answer to an interrupt: its id is that of the call. */
function readDecision(value: unknown): [callId: string, decision: Approval][] {
  if (!isObject(value) || typeof value.interruptId !== 'string') return [];
  const { interruptId, status, payload } = value;
  const why = isObject(payload) && typeof payload.reason === 'string' ? payload.reason : 'The user refused.';
  const isRefused = status !== 'resolved' || (isObject(payload) && payload.approved === false);
  return [[interruptId, isRefused ? { deny: why } : 'approve']];
}

/** One item for each question and each answer. An answer of several messages came from one generation. */
function readMessages(values: readonly JsonObject[]): PostedMessage[] {
  const posted: PostedMessage[] = [];
  for (const value of values) {
    const id = typeof value.id === 'string' ? value.id : undefined;
    const last = posted.at(-1);
    if (value.role === 'user') {
      posted.push({ role: 'user', id, messages: [user(readContent(value.content))], answers: {} });
    } else if (value.role === 'assistant') {
      const generation = id?.includes(':') ? id.slice(0, id.indexOf(':')) : undefined;
      const messages = [assistant([...readContent(value.content ?? ''), ...readCalls(value.toolCalls)])];
      if (last?.role === 'assistant' && generation !== undefined && last.generation === generation)
        posted[posted.length - 1] = { ...last, messages: [...last.messages, ...messages] };
      else posted.push({ role: 'assistant', id, generation, messages, answers: {} });
    } else if (value.role === 'tool' && last?.role === 'assistant' && typeof value.toolCallId === 'string') {
      const { toolCallId, error } = value;
      const result = textOf(readContent(value.content));
      const messages: readonly Message[] = [
        ...last.messages,
        toolResult(toolCallId, result, { isError: error !== undefined && error !== null }),
      ];
      posted[posted.length - 1] = { ...last, messages, answers: { ...last.answers, [toolCallId]: { result } } };
    }
    // A client cannot give itself another system text; reasoning and activities are stored with the answer.
  }
  return posted;
}

function readContent(content: unknown): ContentBlock[] {
  if (typeof content === 'string') return content === '' ? [] : [{ type: 'text', text: content }];
  if (!Array.isArray(content)) return [];
  return content.map((part): ContentBlock => {
    const native = JSON.stringify(part);
    if (!isObject(part)) return { type: 'unknown', native };
    if (part.type === 'text' && typeof part.text === 'string') return { type: 'text', text: part.text };
    const { source } = part;
    if (!isObject(source) || typeof source.value !== 'string') return { type: 'unknown', native };
    return toMedia(source.value, typeof source.mimeType === 'string' ? source.mimeType : undefined);
  });
}

function readCalls(calls: unknown): ContentBlock[] {
  if (!Array.isArray(calls)) return [];
  return calls.flatMap((call): ContentBlock[] => {
    if (!isObject(call) || typeof call.id !== 'string' || !isObject(call.function)) return [];
    const { name, arguments: written } = call.function;
    const rawParameters = typeof written === 'string' && written.trim() !== '' ? written : '{}';
    return [{ type: 'tool-use', id: call.id, name: String(name), rawParameters, parameters: {} }];
  });
}

/** Writes a turn as events of AG-UI. Ids of messages begin with the generation, by which they are found again. */
class AgUiWriter implements TurnWriter {
  readonly #run: { readonly threadId: string; readonly runId: string };
  readonly #generation: string;
  /** The ids of messages before a generation was resumed are not used again. */
  readonly #after: number;
  #messages = 0;
  #open: { readonly type: 'text' | 'reasoning'; readonly id: string } | undefined;
  /** The calls of the current reply by their place in it. */
  readonly #streamed = new Map<number, string>();
  readonly #told = new Set<string>();
  readonly #waiting: ToolUseBlock[] = [];

  constructor({ chat, run, generation, after = '0' }: Parameters<ChatProtocol['writeTurn']>[0]) {
    this.#run = { threadId: chat, runId: run };
    this.#generation = generation;
    this.#after = Number(after);
  }

  *start(): Generator<string> {
    yield JSON.stringify({ type: 'RUN_STARTED', ...this.#run });
  }

  *write(event: TurnEvent): Generator<string> {
    switch (event.type) {
      case 'text':
      case 'refusal':
        yield* this.#piece('text', event.text);
        break;
      case 'reasoning':
        yield* this.#piece('reasoning', event.text);
        break;
      case 'tool-use':
        // Without an id, the call is told with the whole reply.
        if (event.id === '') break;
        yield* this.#close();
        this.#streamed.set(event.index, event.id);
        yield this.#startCall(event);
        break;
      case 'tool-arguments': {
        const toolCallId = this.#streamed.get(event.index);
        if (toolCallId !== undefined && event.text !== '')
          yield JSON.stringify({ type: 'TOOL_CALL_ARGS', toolCallId, delta: event.text });
        break;
      }
      case 'reply':
        yield* this.#reply(event.message);
        break;
      case 'output': {
        const { callId: toolCallId, text: content } = event;
        const messageId = `${this.#generation}:${toolCallId}`;
        yield JSON.stringify({ type: 'TOOL_CALL_RESULT', messageId, toolCallId, content, role: 'tool' });
        break;
      }
      case 'approval':
        this.#waiting.push(event.call);
        break;
      case 'finish':
        yield* this.#close();
        yield JSON.stringify({ type: 'RUN_FINISHED', ...this.#run, outcome: this.#outcome(event.reason) });
        break;
      case 'unknown':
        break;
      default:
        event satisfies never;
    }
  }

  *fail(message: string): Generator<string> {
    yield* this.#close();
    yield JSON.stringify({ type: 'RUN_ERROR', message });
  }

  *end(): Generator<string> {}

  *#piece(type: 'text' | 'reasoning', delta: string): Generator<string> {
    if (delta === '') return;
    const name = type === 'text' ? 'TEXT' : 'REASONING';
    if (this.#open?.type !== type) {
      yield* this.#close();
      this.#messages++;
      this.#open = { type, id: this.#messageId() };
      const { id: messageId } = this.#open;
      if (type === 'reasoning') yield JSON.stringify({ type: 'REASONING_START', messageId });
      const role = type === 'text' ? 'assistant' : 'reasoning';
      yield JSON.stringify({ type: `${name}_MESSAGE_START`, messageId, role });
    }
    yield JSON.stringify({ type: `${name}_MESSAGE_CONTENT`, messageId: this.#open.id, delta });
  }

  *#close(): Generator<string> {
    if (!this.#open) return;
    const { type, id: messageId } = this.#open;
    this.#open = undefined;
    yield JSON.stringify({ type: type === 'text' ? 'TEXT_MESSAGE_END' : 'REASONING_MESSAGE_END', messageId });
    if (type === 'reasoning') yield JSON.stringify({ type: 'REASONING_END', messageId });
  }

  #startCall({ id, name }: Pick<ToolUseBlock, 'id' | 'name'>): string {
    this.#told.add(id);
    const parentMessageId = this.#messageId();
    return JSON.stringify({ type: 'TOOL_CALL_START', toolCallId: id, toolCallName: name, parentMessageId });
  }

  #messageId(): string {
    return `${this.#generation}:${this.#after}.${this.#messages}`;
  }

  /** The reply is complete, and so are its calls. */
  *#reply({ toolUses, origin }: Message): Generator<string> {
    yield* this.#close();
    for (const call of toolUses) {
      if (!this.#told.has(call.id)) {
        // What was cut is never called.
        if (origin.cut) continue;
        yield this.#startCall(call);
        yield JSON.stringify({ type: 'TOOL_CALL_ARGS', toolCallId: call.id, delta: call.rawParameters });
      }
      yield JSON.stringify({ type: 'TOOL_CALL_END', toolCallId: call.id });
    }
    this.#streamed.clear();
    this.#messages++;
  }

  #outcome(reason: Extract<TurnEvent, { type: 'finish' }>['reason']): object {
    if (reason === 'aborted') return { type: 'cancelled' };
    if (this.#waiting.length === 0) return { type: 'success' };
    const interrupts = this.#waiting.map(({ id, name }) => ({
      id,
      reason: 'tool_approval',
      message: `"${name}" needs your approval.`,
      toolCallId: id,
      responseSchema: {
        type: 'object',
        properties: { approved: { type: 'boolean' }, reason: { type: 'string' } },
        required: ['approved'],
      },
    }));
    return { type: 'interrupt', interrupts };
  }
}

/** A stored message as clients have it. */
function toAgUiMessages({ id, role, message, takes }: ForestNode): object[] {
  const results = message.toolResults.map(({ toolCallId, content }) => ({
    id: `${id}:${toolCallId}`,
    role: 'tool',
    toolCallId,
    content: textOf(content),
  }));
  if (role === 'user' && results.length < message.content.length)
    return [...results, { id, role, content: message.content.flatMap(toContentPart) }];
  if (role !== 'assistant') return results;
  const generation = takes.find((take) => take.generation !== undefined)?.generation;
  const toolCalls = message.toolUses.map(({ id: call, name, rawParameters }) => ({
    id: call,
    type: 'function',
    function: { name, arguments: rawParameters },
  }));
  return [
    {
      id: generation === undefined ? id : `${generation}:${id}`,
      role,
      content: message.text,
      ...(toolCalls.length > 0 && { toolCalls }),
    },
  ];
}

function toContentPart(block: ContentBlock): object[] {
  if (block.type === 'text') return [{ type: 'text', text: block.text }];
  if (block.type !== 'media' || block.source.kind === 'file') return [];
  const { mediaType: mimeType, source } = block;
  const kind = mimeType.split('/')[0]!;
  const type = ['image', 'audio', 'video'].includes(kind) ? kind : 'document';
  const value = source.kind === 'url' ? source.url : source.data;
  return [{ type, source: { type: source.kind === 'url' ? 'url' : 'data', value, mimeType } }];
}

function textOf(content: readonly ContentBlock[]): string {
  return content.map((block) => ('text' in block ? block.text : '')).join('');
}
