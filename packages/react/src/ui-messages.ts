import type { Block, ConversationMessage, PendingCall } from './conversation.ts';

/** The messages of the AI SDK's pages, and the parts in which they arrive. */

export interface UiPart {
  readonly type: string;
  readonly text?: string;
  readonly mediaType?: string;
  readonly url?: string;
  readonly toolName?: string;
  readonly toolCallId?: string;
  readonly state?: string;
  readonly input?: unknown;
  /** The arguments of a call that are still arriving. */
  readonly inputText?: string;
  readonly output?: unknown;
  readonly errorText?: string;
  readonly approval?: { readonly id: string; readonly approved?: boolean; readonly reason?: string };
}

export interface UiMessage {
  readonly id: string;
  readonly role: 'user' | 'assistant';
  readonly parts: readonly UiPart[];
}

/** One part of a UI message stream. */
export interface StreamPart extends UiPart {
  readonly messageId?: string;
  readonly delta?: string;
  readonly inputTextDelta?: string;
  readonly approvalId?: string;
}

/** Adds what arrived to the parts of a message. Kinds that show nothing change nothing. */
export function applyPart(parts: readonly UiPart[], arrived: StreamPart): readonly UiPart[] {
  const { type, toolCallId = '', toolName = '', input, output, errorText, mediaType, url } = arrived;
  const call = (change: Partial<UiPart>) => changeCall(parts, toolCallId, toolName, change);
  switch (type) {
    case 'start-step':
      return [...parts, { type: 'step-start' }];
    case 'text-start':
    case 'reasoning-start':
      return [...parts, { type: type.slice(0, -6), text: '' }];
    case 'text-delta':
    case 'reasoning-delta': {
      const at = parts.findLastIndex((part) => part.type === type.slice(0, -6));
      return parts.map((part, index) => (index === at ? { ...part, text: part.text + (arrived.delta ?? '') } : part));
    }
    case 'file':
      return [...parts, { type, ...(mediaType !== undefined && { mediaType }), ...(url !== undefined && { url }) }];
    case 'tool-input-start':
      return call({ state: 'input-streaming', inputText: '' });
    case 'tool-input-delta': {
      const before = parts.find((part) => part.toolCallId === toolCallId)?.inputText ?? '';
      return call({ inputText: before + (arrived.inputTextDelta ?? '') });
    }
    case 'tool-input-available':
      return call({ state: 'input-available', input });
    case 'tool-approval-request':
      return call({ state: 'approval-requested', approval: { id: arrived.approvalId ?? toolCallId } });
    case 'tool-output-available':
      return call({ state: 'output-available', output });
    case 'tool-output-error':
    case 'tool-input-error':
      return call({ state: 'output-error', errorText: errorText ?? '' });
    default:
      return parts;
  }
}

function changeCall(
  parts: readonly UiPart[],
  toolCallId: string,
  name: string,
  change: Partial<UiPart>,
): readonly UiPart[] {
  if (!parts.some((part) => part.toolCallId === toolCallId))
    return [...parts, { type: `tool-${name}`, toolCallId, ...change }];
  return parts.map((part) => (part.toolCallId === toolCallId ? { ...part, ...change } : part));
}

export function toMessage({ id, role, parts }: UiMessage, isLive: boolean): ConversationMessage {
  return { id, role, blocks: parts.flatMap(toBlocks), isLive, siblings: [id] };
}

function toBlocks(part: UiPart): readonly Block[] {
  const { type, text = '', mediaType = '', url = '', toolCallId, state = '', output, errorText } = part;
  if (type === 'text') return [{ type, text }];
  if (type === 'reasoning') return [{ type, text, redacted: false }];
  if (type === 'file') return [{ type: 'media', mediaType, source: readSource(url) }];
  if (toolCallId === undefined) return [];
  const call = toCall(part);
  if (!state.startsWith('output-')) return [{ type: 'tool-use', ...call }];
  const shown = errorText ?? (typeof output === 'string' ? output : JSON.stringify(output));
  const isError = state === 'output-error';
  return [
    { type: 'tool-use', ...call },
    { type: 'tool-result', toolCallId, content: [{ type: 'text', text: shown }], isError },
  ];
}

function toCall({ type, toolName, toolCallId = '', input, inputText = '' }: UiPart): PendingCall {
  const rawParameters = input === undefined ? inputText : JSON.stringify(input);
  return { id: toolCallId, name: toolName ?? type.replace(/^tool-/, ''), rawParameters };
}

function readSource(url: string): Extract<Block, { type: 'media' }>['source'] {
  const data = /^data:[^,]*;base64,(.*)$/s.exec(url)?.[1];
  return data === undefined ? { kind: 'url', url } : { kind: 'base64', data };
}

/** Blocks of the user as parts. A page sends text and media; a file that a provider holds has no address. */
export function toParts(blocks: readonly Block[]): readonly UiPart[] {
  return blocks.flatMap((block): UiPart[] => {
    if (block.type === 'text') return [{ type: 'text', text: block.text }];
    if (block.type !== 'media' || block.source.kind === 'file') return [];
    const { mediaType, source } = block;
    const url = source.kind === 'url' ? source.url : `data:${mediaType};base64,${source.data}`;
    return [{ type: 'file', mediaType, url }];
  });
}

/** The calls of the last message that wait for a decision. */
export function pendingCalls(messages: readonly UiMessage[]): readonly PendingCall[] {
  return (messages.at(-1)?.parts ?? []).filter(({ state }) => state === 'approval-requested').map(toCall);
}
