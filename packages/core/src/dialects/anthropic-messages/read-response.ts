import { find, isObject, type JsonObject, parseJson, splice, textAt } from '../../json/index.ts';
import type { RawReply } from '../dialect.ts';
import { count, ProtocolError, type Stop, type StopReason, type Usage } from '../reply.ts';
import { DIALECT } from './provider.ts';

/** Reads a response: its `content` becomes the message, the rest is the envelope. */
export function readReply(body: string): RawReply {
  const value = parseJson(body);
  if (!isObject(value)) throw new ProtocolError(DIALECT, 'the response is not a JSON object', body);
  if (value.type === 'error') throw new ProtocolError(DIALECT, 'it is an error response', body);
  const content = find(body, ['content']);
  if (!content || (!Array.isArray(value.content) && typeof value.content !== 'string' && value.content !== null))
    throw new ProtocolError(DIALECT, 'the response has no "content"', body);
  const text = value.content === null ? '[]' : body.slice(content.start, content.end);
  const envelope = splice(body, [{ ...content, text: 'null' }]);
  return toReply(envelope, value, text, readStop(value.stop_reason));
}

/** Builds the reply from an envelope, its parsed value and the text of the content. */
export function toReply(envelope: string, { usage, model }: JsonObject, content: string, stop: Stop): RawReply {
  return {
    choices: [{ raw: `{"role":${textAt(envelope, ['role']) ?? '"assistant"'},"content":${content}}`, stop }],
    usage: readUsage(usage, textAt(envelope, ['usage'])),
    envelope,
    model,
  };
}

/**
 * `input_tokens` does not include tokens that were read from or written to the cache. The top level does not include
 * compaction by the same model, either (recorded), so it is added. The tokens of an advisor model stay in `native`,
 * because they have other prices.
 */
function readUsage(value: unknown, native: string | undefined): Usage | undefined {
  if (!isObject(value) || native === undefined) return undefined;
  const iterations = Array.isArray(value.iterations) ? value.iterations : [];
  const all = [value, ...iterations.filter((item) => isObject(item) && item.type === 'compaction')].map(readBuckets);
  const sum = (name: keyof Buckets): number => all.reduce((total, each) => total + each[name], 0);
  return {
    input: sum('input'),
    cacheRead: sum('cacheRead'),
    cacheWrite5m: sum('cacheWrite5m'),
    cacheWrite1h: sum('cacheWrite1h'),
    output: sum('output'),
    reasoning: sum('reasoning'),
    native,
  };
}

type Buckets = Omit<Usage, 'native'>;

function readBuckets(value: JsonObject): Buckets {
  const { cache_creation: created, output_tokens_details: details } = value;
  const cacheWrite1h = count(created, 'ephemeral_1h_input_tokens');
  // The end of a stream repeats the total, but not its parts.
  const written = Math.max(
    count(value, 'cache_creation_input_tokens'),
    cacheWrite1h + count(created, 'ephemeral_5m_input_tokens'),
  );
  const output = count(value, 'output_tokens');
  const reasoning = Math.min(count(details, 'thinking_tokens'), output);
  return {
    input: count(value, 'input_tokens'),
    cacheRead: count(value, 'cache_read_input_tokens'),
    cacheWrite5m: written - cacheWrite1h,
    cacheWrite1h,
    output: output - reasoning,
    reasoning,
  };
}

const REASONS: Readonly<Record<string, StopReason>> = {
  end_turn: 'end',
  tool_use: 'tool-use',
  max_tokens: 'length',
  model_context_window_exceeded: 'length',
  stop_sequence: 'stop-sequence',
  refusal: 'refusal',
  pause_turn: 'pause',
  // The reply holds only a compaction block; the conversation continues behind it.
  compaction: 'pause',
};

export function readStop(native: unknown): Stop {
  if (typeof native !== 'string') return { reason: 'unknown', native: undefined };
  return { reason: Object.hasOwn(REASONS, native) ? REASONS[native]! : 'unknown', native };
}
