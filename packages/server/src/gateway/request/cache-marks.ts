import { canonical, elementTexts, type ToolDefinition, textAt, type WriteRequest } from '@skein/core';
import type { LossNote } from '@skein/core/dialect';
import type { ClientCall, Target } from '../client/client-call.ts';
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

/**
 * The tools of a request in the order and the text of the thread's last one, if they are an equal set, so that the prompt
 * cache of a provider hits. What the client changed goes out as changed. System text and messages need no such care: they
 * are translated from what they say, whatever their spelling.
 */
export function keepTools(
  tools: readonly ToolDefinition[],
  last: readonly ToolDefinition[] | undefined,
): readonly ToolDefinition[] {
  if (!last || tools.length !== last.length) return tools;
  const wanted = tools.map(toolKey).sort();
  const known = last.map(toolKey).sort();
  return wanted.every((key, index) => key === known[index]) ? last : tools;
}

function toolKey(tool: ToolDefinition): string {
  if ('native' in tool) return `${tool.dialect} ${canonical(tool.native)}`;
  const { name, description, parameters } = tool;
  const schema = typeof parameters === 'string' ? parameters : JSON.stringify(parameters);
  return JSON.stringify([name, description, canonical(schema)]);
}
