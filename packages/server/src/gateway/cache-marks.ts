import { canonical, elementTexts, type Message, type ToolDefinition, textAt, type WriteRequest } from '@skein/core';
import type { LossNote } from '@skein/core/dialect';
import type { ClientCall, Target } from './client-call.ts';
import type { OutgoingRequest } from './exchange.ts';
import type { UpstreamProtocol } from './params.ts';

type CachePoints = NonNullable<WriteRequest['cache']>;

/** APIs take at most four. */
const MOST = 4;

/**
 * Marks what a target is to cache, if it caches nothing else: where the client placed markers, or otherwise tools, system
 * text and the last two turns of the user.
 */
export function placeCacheMarks(
  request: OutgoingRequest,
  target: Target,
  { server }: UpstreamProtocol,
): OutgoingRequest {
  if (!server.meaning?.needsCacheMarkers?.(target) || request.cache) return request;
  const { messages, system, tools } = request;
  const marked = messages.flatMap(({ facts }, index) => (facts.needs.includes('cache') ? [index] : []));
  const turns = messages.flatMap(({ role }, index) => (role === 'user' || role === 'tool' ? [index] : []));
  const ends = turns.filter((index) => !turns.includes(index + 1));
  const front: CachePoints = [
    ...(tools.length > 0 ? ['tools' as const] : []),
    ...(system.length > 0 ? ['system' as const] : []),
  ];
  const chosen = (marked.length > 0 ? marked : ends).slice(-2);
  const cache = [...front, ...chosen].slice(-MOST);
  if (cache.length === 0) return request;
  const note: LossNote = { kind: 'synthesised', path: '', reason: 'cache-marker', detail: cache.join(', ') };
  return { ...request, cache, losses: [...request.losses, note] };
}

/** Removes system texts that are meant for the client's own vendor alone from a request in another protocol. */
export function dropVendorTexts(
  request: OutgoingRequest,
  { dialect, server }: Pick<ClientCall, 'dialect' | 'server'>,
  { provider }: Target,
): OutgoingRequest {
  const pattern = server.meaning?.vendorText;
  if (!pattern || provider.dialect === dialect.id) return request;
  const losses: LossNote[] = [];
  const system = request.system.flatMap((message, index) => {
    if (message.origin.dialect !== dialect.id) return [message];
    const isForVendor = message.content.map((block) => block.type === 'text' && pattern.test(block.text));
    if (!isForVendor.includes(true)) return [message];
    isForVendor.forEach((is, at) => {
      if (is) losses.push({ kind: 'dropped', path: `system[${index}].content[${at}]`, reason: 'vendor-text' });
    });
    const content = textAt(message.raw, ['content']) ?? '';
    const kept = content.startsWith('[') ? elementTexts(content).filter((_, at) => !isForVendor[at]) : [];
    return kept.length > 0
      ? [dialect.parseMessage(`{"role":"system","content":[${kept.join(',')}]}`, message.origin)]
      : [];
  });
  return losses.length > 0 ? { ...request, system, losses: [...request.losses, ...losses] } : request;
}

/** The parts of a request that an upstream caches. */
export type RequestPrefix = Pick<OutgoingRequest, 'system' | 'tools' | 'messages'>;

/**
 * The request with the texts of the thread's last one wherever both mean the same, so that the prompt cache of a provider
 * hits: system texts and messages with an equal value at the same place, and tools that are an equal set. What the client
 * changed goes out as changed.
 */
export function extendLast(request: OutgoingRequest, last: RequestPrefix | undefined): OutgoingRequest {
  if (!last) return request;
  return {
    ...request,
    system: keepEqual(request.system, last.system),
    tools: keepTools(request.tools, last.tools),
    messages: keepEqual(request.messages, last.messages),
  };
}

function keepEqual(messages: readonly Message[], last: readonly Message[]): readonly Message[] {
  return messages.map((message, index) => {
    const known = last[index];
    return known && isEqual(message, known) ? known : message;
  });
}

function isEqual(message: Message, known: Message): boolean {
  if (message === known || message.raw === known.raw) return message.origin.issuer === known.origin.issuer;
  if (message.origin.dialect !== known.origin.dialect || message.origin.issuer !== known.origin.issuer) return false;
  return canonical(message.raw) === canonical(known.raw);
}

/** Tools in the order and the text of the last request, if each of them was in it and no other. */
function keepTools(tools: readonly ToolDefinition[], last: readonly ToolDefinition[]): readonly ToolDefinition[] {
  const wanted = tools.map(toolKey).sort();
  const known = last.map(toolKey).sort();
  return wanted.length === known.length && wanted.every((key, index) => key === known[index]) ? last : tools;
}

function toolKey(tool: ToolDefinition): string {
  if ('native' in tool) return `${tool.dialect} ${canonical(tool.native)}`;
  const { name, description, parameters } = tool;
  const schema = typeof parameters === 'string' ? parameters : JSON.stringify(parameters);
  return JSON.stringify([name, description, canonical(schema)]);
}
