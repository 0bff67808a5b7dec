import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { runs, share } from '../../../../scripts/test-shares.ts';
import { dialect, isJson, type Message, user, writeRequest } from '../../src/index.ts';
import { eventsOf, type SseEvent } from '../corpus/events-of.ts';
import { unheld } from '../corpus/leaves.ts';
import { PASSING } from '../corpus/passing.ts';
import { ALL_PROTOCOLS, type AnyProtocol } from '../corpus/recordings.ts';
import { readChunks, type Streamed, streams } from '../corpus/streamed.ts';
import { sseText } from '../fixtures/sse-text.ts';
import { incompleteParts } from './incomplete.ts';
import { anywhere } from './unknown-json.ts';

/** What a protocol says when a reply is complete. */
const ENDS: Readonly<Record<AnyProtocol, RegExp>> = {
  'openai-chat': /\[DONE\]|"finish_reason":\s*"/,
  'openai-responses': /"type":\s*"response\.(completed|incomplete|failed)"/,
  'anthropic-messages': /"type":\s*"message_stop"/,
  'google-interactions': /"event_type":\s*"interaction\.completed"/,
  'bedrock-converse': /"stopReason":\s*"/,
  'cohere-chat': /"type":\s*"message-end"/,
  'google-generatecontent': /"finishReason":\s*"|"blockReason":\s*"/,
};

function hasEnd(protocol: AnyProtocol, bytes: Uint8Array): boolean {
  const text = new TextDecoder().decode(bytes);
  if (!ENDS[protocol].test(text)) return false;
  return eventsOf(text).some(({ data }) => (data === '[DONE]' || isJson(data)) && ENDS[protocol].test(data));
}

/** What is wrong with a reply whose stream ended behind these bytes; a message that was seen before is not sent again. */
function problems(protocol: AnyProtocol, bytes: Uint8Array, seen = new Map<string, string[]>()): string[] {
  const { message, envelope, stop } = readChunks(protocol, [bytes]).reply;
  const ended = hasEnd(protocol, bytes);
  const unsent = seen.get(message.raw) ?? unsendable(protocol, message);
  seen.set(message.raw, unsent);
  return [
    ...(isJson(message.raw) ? [] : ['the message is not JSON']),
    ...(isJson(envelope) ? [] : ['the envelope is not JSON']),
    ...(message.origin.cut === (ended ? undefined : true) ? [] : [`cut is ${message.origin.cut}`]),
    ...(ended || stop.reason === 'cut' || stop.native !== undefined ? [] : ['it stopped as if it were complete']),
    ...unsent,
  ];
}

function unsendable(protocol: AnyProtocol, message: Message): string[] {
  const messages = [user('Hello'), message, user('Go on')];
  const { body } = writeRequest(dialect(protocol), { model: message.origin.model ?? 'some-model', messages });
  if (!isJson(body)) return ['the next request is not JSON'];
  if (!body.includes('Hello') || !body.includes('Go on')) return ['the next request lacks what the user said'];
  return incompleteParts(protocol, body).map((part) => `the next request holds ${part}`);
}

/** What a stream that ends behind some of its events does not hold of them. */
function missing(protocol: AnyProtocol, events: readonly SseEvent[]): string[] {
  const { reply } = readChunks(protocol, [sseText(events.map(({ event, data }) => [event, data]))]);
  const raws = [reply.message, ...reply.alternatives.map((alternative) => alternative.message)].map(({ raw }) => raw);
  return unheld(events, [...raws, reply.envelope], PASSING[protocol]);
}

const bytesOf = ({ sse }: Streamed): Uint8Array => new TextEncoder().encode(sse);

describe.each(ALL_PROTOCOLS)('%s', (protocol) => {
  const all = streams(protocol);
  const fixtures = all.slice(0, 2);

  it('a stream that ends behind any byte is kept, marked, and can be answered', () => {
    const wrong = fixtures.flatMap((stream) => {
      const bytes = bytesOf(stream);
      // Every byte of the shorter one; of the other so many that each event is cut in many places.
      const step = bytes.length > 4096 ? 5 : 1;
      const seen = new Map<string, string[]>();
      const ends = share(Array.from({ length: Math.ceil(bytes.length / step) }, (_, turn) => turn * step));
      return ends.flatMap((end) =>
        problems(protocol, bytes.subarray(0, end), seen).map(
          (problem) => `${stream.name} behind byte ${end}: ${problem}`,
        ),
      );
    });
    expect(wrong).toEqual([]);
  });

  it('so is a recorded one', () => {
    fc.assert(
      fc.property(fc.constantFrom(...all), anywhere, (stream, at) => {
        const bytes = bytesOf(stream);
        expect(problems(protocol, bytes.subarray(0, Math.floor(at * bytes.length)))).toEqual([]);
      }),
      { seed: 7, numRuns: runs(400) },
    );
  });

  it('what arrived before the end is still there', () => {
    const wrong = fixtures.flatMap(({ name, sse }) => {
      const events = eventsOf(sse);
      return events.flatMap((_, count) =>
        missing(protocol, events.slice(0, count)).map((leaf) => `${name} behind event ${count}: ${leaf}`),
      );
    });
    expect(wrong).toEqual([]);
  });

  it('so is what arrived of a recorded one', () => {
    // One was shortened by hand: its pieces are not those of its text.
    const recorded = all.filter(({ name, sse }) => sse.length <= 40_000 && !name.includes('openai-shell-container'));
    fc.assert(
      fc.property(fc.constantFrom(...recorded), anywhere, ({ sse }, at) => {
        const events = eventsOf(sse);
        expect(missing(protocol, events.slice(0, Math.floor(at * events.length)))).toEqual([]);
      }),
      { seed: 8, numRuns: runs(150) },
    );
  });
});
