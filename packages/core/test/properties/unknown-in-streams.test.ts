import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { runs } from '../../../../scripts/test-shares.ts';
import { dialect, user, writeRequest } from '../../src/index.ts';
import { eventsOf, type SseEvent } from '../corpus/events-of.ts';
import { endOf } from '../corpus/put-back.ts';
import { ALL_PROTOCOLS, type AnyProtocol } from '../corpus/recordings.ts';
import { readChunks, streams } from '../corpus/streamed.ts';
import { sseText } from '../fixtures/sse-text.ts';
import { type Insertion, insert } from './insert.ts';
import { anywhere, plainlyNamed, unknownName } from './unknown-json.ts';

const insertion: fc.Arbitrary<Insertion> = fc.record({
  at: anywhere,
  // Assembled members are printed anew: a name is the same, but may be spelt another way.
  name: unknownName.map((name) => name.replaceAll('\\', '')),
  member: plainlyNamed,
  element: plainlyNamed.map((value) => `{"x_beam":${value}}`),
});

const printed = (events: readonly SseEvent[]): string => sseText(events.map(({ event, data }) => [event, data]));

/** Where the message is in the data of an event: what is around it speaks of the event. */
const MESSAGE: Readonly<Record<AnyProtocol, RegExp>> = {
  'openai-chat': /"delta":(?=\{)/,
  'openai-responses': /"output":(?=\[)/,
  'anthropic-messages': /"(?:delta|content_block)":(?=\{)/,
  'google-generatecontent': /"parts":(?=\[)/,
  'google-interactions': /"(?:step|delta)":(?=\{)/,
  'bedrock-converse': /"(?:start|delta)":(?=\{)/,
  'cohere-chat': /"message":(?=\{)/,
};

/** A stream of at most a few hundred events, in which an event with a piece of the message can be chosen. */
function bases(protocol: AnyProtocol): { events: SseEvent[]; carriers: number[] }[] {
  return streams(protocol).flatMap(({ sse }) => {
    const events = eventsOf(sse);
    const carriers = events.flatMap(({ data }, index) => (isCarrier(protocol, data) ? [index] : []));
    return carriers.length > 0 && events.length <= 300 ? [{ events, carriers }] : [];
  });
}

function isCarrier(protocol: AnyProtocol, data: string): boolean {
  if (protocol === 'anthropic-messages' && data.includes('"message_delta"')) return false;
  // The response at the end is the source; of what came before it only that counts.
  if (protocol === 'openai-responses' && !data.includes('"response.completed"')) return false;
  return MESSAGE[protocol].test(data);
}

/** The input of a call that begins is a placeholder for the pieces that follow; a call without an index is a piece of one. */
const JOINED = /"(?:input|arguments)":\s*\{$|"tool_calls":\s*\[$/;

describe.each(ALL_PROTOCOLS)('%s', (protocol) => {
  const all = bases(protocol);
  const anyBase = fc.oneof(fc.constantFrom(...all.slice(0, 2)), fc.constantFrom(...all));

  it('what nobody knows in a piece of the message is in the message', () => {
    fc.assert(
      fc.property(anyBase, fc.nat(), insertion, ({ events, carriers }, pick, what) => {
        const chosen = carriers[pick % carriers.length]!;
        const { data } = events[chosen]!;
        const found = MESSAGE[protocol].exec(data)!;
        const start = found.index + found[0].length;
        const { text, added } = insert(data, start, endOf(data, start), what);
        fc.pre(!JOINED.test(text.slice(0, text.indexOf(added, start))));
        const changed = events.map((event, index) => (index === chosen ? { ...event, data: text } : event));
        const { reply } = readChunks(protocol, [printed(changed)]);
        expect(reply.message.raw + reply.envelope).toContain(added);
        const plain = readChunks(protocol, [printed(events)]).reply;
        expect(reply.message.text).toBe(plain.message.text);
        expect(reply.message.toolUses.map((use) => use.name)).toEqual(plain.message.toolUses.map((use) => use.name));
      }),
      { seed: 4, numRuns: runs(300) },
    );
  });

  it('events that nobody knows are kept and change nothing', () => {
    const unknownEvent = fc.record({
      event: fc.constantFrom(undefined, 'x_news', 'vertex_event', 'message'),
      data: fc.oneof(
        plainlyNamed.map((value) => `{"type":"x_news","x_data":${value}}`),
        fc.constant('no json'),
      ),
    });
    fc.assert(
      fc.property(
        anyBase,
        fc.array(fc.tuple(fc.nat(), unknownEvent), { minLength: 1, maxLength: 4 }),
        ({ events }, news) => {
          const changed = [...events];
          for (const [place, event] of news) changed.splice(place % (changed.length + 1), 0, event);
          const { reply, events: told } = readChunks(protocol, [printed(changed)]);
          const plain = readChunks(protocol, [printed(events)]).reply;
          expect(reply.message.raw).toBe(plain.message.raw);
          expect(reply.stop).toEqual(plain.stop);
          for (const [, { data }] of news) {
            expect(reply.envelope).toContain(data === 'no json' ? '"no json"' : data.slice(data.indexOf('"x_data":')));
            expect(told.filter((event) => event.type === 'unknown' && event.data === data).length).toBeGreaterThan(0);
          }
          const messages = [user('Hello'), reply.message, user('Go on')];
          expect(() => writeRequest(dialect(protocol), { model: 'some-model', messages })).not.toThrow();
        },
      ),
      { seed: 5, numRuns: runs(200) },
    );
  });
});
