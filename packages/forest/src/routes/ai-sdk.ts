import { type Approval, type ContentBlock, isObject, type JsonObject, textAt } from '@skein/core';
import { MessageStreamWriter } from '@skein/core/ui';
import type { Forest, ForestNode } from '../forest/index.ts';
import { readUiMessage } from '../formats/importers/ui-messages.ts';
import {
  type ChatProtocol,
  type ChatRoute,
  type ChatRouteSettings,
  createChatRoute,
  type StoredContext,
} from './chat-route.ts';
import { type PostedMessage, type PostedTurn, refusal } from './turn.ts';

/**
 * Makes the route that `useChat` of the AI SDK talks to. It stores the conversation in the forest, also its branches, and
 * continues the stream after a reload.
 *
 * @example
 * const forest = await openForest('file:./conversations');
 * export const POST = chatRoute(forest, { model: 'anthropic/claude-sonnet-5' });
 */
export function chatRoute(forest: Forest, settings: ChatRouteSettings): ChatRoute {
  return createChatRoute(forest, settings, aiSdk);
}

const aiSdk: ChatProtocol = {
  headers: { 'x-vercel-ai-ui-message-stream': 'v1' },
  readTurn,
  writeTurn({ generation }) {
    const writer = new MessageStreamWriter();
    return {
      // The page gets the generation's id as the id of the message, and sends it back.
      start: () => writer.start(generation),
      write: (event) => writer.write(event),
      fail: (message) => writer.fail(message),
      end: () => ['[DONE]'],
    };
  },
  writeMessages: toUiMessages,
};

/** Reads what `DefaultChatTransport` posts: all messages, or, where the page sends only the last one, `message`. */
function readTurn(body: string): PostedTurn {
  const value = parse(body);
  const { id, messages, message, trigger } = value;
  if (typeof id !== 'string' || id === '')
    throw refusal(400, 'The body has no "id": post what DefaultChatTransport posts.');
  const isWhole = Array.isArray(messages);
  const list = isWhole ? messages : [message];
  const posted = list.flatMap((one, index) => {
    const text = textAt(body, isWhole ? ['messages', index] : ['message']);
    if (!isObject(one) || text === undefined || !Array.isArray(one.parts))
      throw refusal(400, 'The body has no "messages" with "parts": post what DefaultChatTransport posts.');
    return readMessage(one, text);
  });
  return { chat: id, messages: posted, isWhole, again: trigger === 'regenerate-message', tools: [] };
}

function parse(body: string): JsonObject {
  try {
    const value: unknown = JSON.parse(body);
    if (isObject(value)) return value;
  } catch {
    // Said below.
  }
  throw refusal(400, 'The body is not a JSON object: post what DefaultChatTransport posts.');
}

function readMessage(value: JsonObject, text: string): PostedMessage[] {
  const { id, role, parts } = value;
  // A page cannot give itself another system text.
  if (role !== 'user' && role !== 'assistant') return [];
  const messages = readUiMessage({ value, text }).map(({ message }) => message);
  const known = typeof id === 'string' ? id : undefined;
  if (role === 'user') return [{ role, id: known, messages, answers: {} }];
  const answers = Object.fromEntries((parts as unknown[]).flatMap(readAnswer));
  return [{ role, id: known, generation: known, messages, answers }];
}

/** What the page decided about a call, or the result that it has for it. */
function readAnswer(part: unknown): [callId: string, answer: Approval][] {
  if (!isObject(part) || typeof part.toolCallId !== 'string') return [];
  const { toolCallId, state, output, errorText, approval } = part;
  if (state === 'output-available')
    return [[toolCallId, { result: typeof output === 'string' ? output : JSON.stringify(output ?? null) }]];
  if (state === 'output-error') return [[toolCallId, { result: `The tool failed: ${String(errorText ?? '')}` }]];
  if (state !== 'approval-responded' || !isObject(approval)) return [];
  if (approval.approved === true) return [[toolCallId, 'approve']];
  return [[toolCallId, { deny: typeof approval.reason === 'string' ? approval.reason : 'The user refused.' }]];
}

interface UiMessage {
  readonly id: string;
  readonly role: 'user' | 'assistant';
  readonly parts: object[];
}

/** Stored messages as a page shows them: replies and the results of their calls are one message. */
function toUiMessages(nodes: readonly ForestNode[], { pending }: StoredContext): readonly UiMessage[] {
  const results = new Map(
    nodes.flatMap(({ message }) => message.toolResults.map((one) => [one.toolCallId, one] as const)),
  );
  const made: (UiMessage & { readonly from?: string })[] = [];
  for (const { id, role, message, takes } of nodes) {
    if (role === 'user' && message.toolResults.length < message.content.length) {
      made.push({ id, role, parts: message.content.flatMap(toPart) });
      continue;
    }
    if (role !== 'assistant') continue;
    const generation = takes.find((take) => take.generation !== undefined)?.generation;
    const parts = message.content.flatMap((block) =>
      block.type === 'tool-use' ? [toToolPart(block, results.get(block.id), pending.get(block.id))] : toPart(block),
    );
    const last = made.at(-1);
    const shown = [{ type: 'step-start' }, ...parts];
    if (last?.role === 'assistant' && last.from === generation) {
      last.parts.push(...shown);
      // Without a generation, the last node is what the page can continue from.
      if (generation === undefined) made[made.length - 1] = { ...last, id };
    } else
      made.push({ id: generation ?? id, role, parts: shown, ...(generation !== undefined && { from: generation }) });
  }
  return made.map(({ from: _, ...message }) => message);
}

function toPart(block: ContentBlock): object[] {
  switch (block.type) {
    case 'text': {
      const sources = (block.citations ?? []).flatMap(({ url, title }) =>
        url === undefined ? [] : [{ type: 'source-url', sourceId: url, url, ...(title !== undefined && { title }) }],
      );
      return [{ type: 'text', text: block.text, state: 'done' }, ...sources];
    }
    case 'refusal':
      return [{ type: 'text', text: block.text, state: 'done' }];
    case 'reasoning':
      return block.text === '' ? [] : [{ type: 'reasoning', text: block.text, state: 'done' }];
    case 'media': {
      const { mediaType, source, name } = block;
      // A file that the provider holds has no address.
      if (source.kind === 'file') return [];
      const url = source.kind === 'url' ? source.url : `data:${mediaType};base64,${source.data}`;
      return [{ type: 'file', mediaType, url, ...(name !== undefined && { filename: name }) }];
    }
    case 'tool-use':
    case 'tool-result':
    case 'unknown':
      return [];
    default:
      block satisfies never;
      return [];
  }
}

function toToolPart(
  { id, name, parameters }: Extract<ContentBlock, { type: 'tool-use' }>,
  result: Extract<ContentBlock, { type: 'tool-result' }> | undefined,
  waits: 'approval' | 'page' | undefined,
): object {
  const call = { type: `tool-${name}`, toolCallId: id, input: parameters };
  if (!result)
    return waits === 'approval'
      ? { ...call, state: 'approval-requested', approval: { id } }
      : { ...call, state: 'input-available' };
  const text = result.content.map((block) => ('text' in block ? block.text : '')).join('');
  return result.isError
    ? { ...call, state: 'output-error', errorText: text }
    : { ...call, state: 'output-available', output: readOutput(text) };
}

function readOutput(text: string): unknown {
  if (!/^\s*[[{]/.test(text)) return text;
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
