import {
  elementTexts,
  find,
  isObject,
  type JsonObject,
  leafNode,
  parseJson,
  parseTree,
  printTree,
  recordNode,
  setMember,
  textAt,
} from '../../json/index.ts';
import type { RawReply } from '../dialect.ts';
import type { Stop } from '../reply.ts';
import type { UnreadEvents } from '../stream/unread.ts';
import { turnText } from './read-response.ts';
import { stopOf } from './stop.ts';
import type { StreamItem } from './stream-item.ts';
import type { UnreadMembers } from './unread-members.ts';
import { usageOf } from './usage.ts';

export interface StreamState {
  readonly items: readonly StreamItem[];
  /** The response as the last event had it that carried one. */
  readonly response: string | undefined;
  readonly isTerminal: boolean;
  readonly hasFailed: boolean;
  readonly unread: UnreadEvents;
  readonly members: UnreadMembers;
}

/** What came, as the reply it would have been. */
export function replyOf(state: StreamState): RawReply & { readonly cut: boolean } {
  const response = state.response ?? '{}';
  const value = parseJson(response) as JsonObject;
  const streamed = [...state.items].sort((a, b) => a.index - b.index);
  const raw = turnText(state.isTerminal ? settled(streamed, response) : streamed.map((item) => item.text));
  const envelope = parseTree(response);
  const record = envelope.kind === 'record' ? envelope : recordNode();
  setMember(record, 'output', leafNode('null'));
  state.unread.addTo(record);
  state.members.addTo(record);
  return {
    choices: [{ raw, stop: stopFor(state, value, raw) }],
    usage: usageOf(value.usage, textAt(response, ['usage'])),
    envelope: printTree(record),
    model: typeof value.model === 'string' ? value.model : undefined,
    cut: !state.isTerminal,
  };
}

function stopFor(state: StreamState, response: JsonObject, raw: string): Stop {
  const native = typeof response.status === 'string' ? response.status : undefined;
  if (state.hasFailed) return { reason: 'error', native };
  return state.isTerminal ? stopOf(response, parseJson(raw) as unknown[]) : { reason: 'cut', native: undefined };
}

/**
 * The items of the terminal event. Some servers leave out there what they streamed: then each streamed item takes the
 * final text of the same id where there is one, its own otherwise, and what fits none of them follows.
 */
function settled(streamed: readonly StreamItem[], response: string): string[] {
  const output = find(response, ['output']);
  const final = output && response[output.start] === '[' ? elementTexts(response, output.start) : [];
  if (final.length >= streamed.length) return final;
  const byId = new Map(final.map((text) => [idOf(text), text]));
  const items = streamed.map((item) => {
    const id = idOf(item.text);
    const text = id === undefined ? undefined : byId.get(id);
    if (text !== undefined) byId.delete(id);
    return text ?? item.text;
  });
  return [...items, ...byId.values()];
}

function idOf(item: string): string | undefined {
  const value = parseJson(item);
  return isObject(value) && typeof value.id === 'string' ? value.id : undefined;
}
