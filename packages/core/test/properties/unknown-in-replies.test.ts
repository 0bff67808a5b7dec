import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { runs } from '../../../../scripts/test-shares.ts';
import { dialect, type Reply, toolResult, user, writeRequest } from '../../src/index.ts';
import { ALL_PROTOCOLS, type AnyProtocol, exchanges } from '../corpus/recordings.ts';
import { memberTexts } from '../corpus/source-json.ts';
import { FIXTURES } from '../fixtures/index.ts';
import { type Insertion, insert } from './insert.ts';
import { anywhere, unknownElement, unknownName, unknownValue } from './unknown-json.ts';

const insertion: fc.Arbitrary<Insertion> = fc.record({
  at: anywhere,
  name: unknownName,
  member: unknownValue,
  element: unknownElement,
});

function echo(protocol: AnyProtocol, { message }: Reply) {
  const results = message.toolUses.map((call) => toolResult(call.id, 'the answer'));
  const messages = [user('Hello'), message, ...results, user('Go on')];
  return writeRequest(dialect(protocol), { model: message.origin.model ?? 'some-model', messages });
}

/** What of a message stands in a body: a list of items is sent as its items, Anthropic's content within a message. */
function inner(raw: string): string {
  return raw.startsWith('[') ? raw.slice(1, -1) : raw;
}

/** Replies that come back verbatim as they are, with the place of their message in them. */
function bases(protocol: AnyProtocol): { response: string; start: number; end: number }[] {
  const fixtures = FIXTURES.filter((fixture) => fixture.dialect.id === protocol);
  const recorded = exchanges(protocol).flatMap(({ response }) => (response === undefined ? [] : [response]));
  return [...fixtures.flatMap(({ reply, toolCallReply }) => [reply, toolCallReply]), ...recorded].flatMap(
    (response) => {
      const reply = dialect(protocol).readResponse(response);
      const text = contentText(protocol, reply.message.raw);
      const start = response.indexOf(text);
      const isVerbatim = start >= 0 && /[[{]/.test(text) && echo(protocol, reply).losses.length === 0;
      return isVerbatim ? [{ response, start, end: start + text.length }] : [];
    },
  );
}

/** The text of a message as it stands in the response. */
function contentText(protocol: AnyProtocol, raw: string): string {
  return protocol === 'anthropic-messages' ? (memberTexts(raw)[1]?.[1] ?? '') : raw;
}

describe.each(ALL_PROTOCOLS)('%s', (protocol) => {
  const all = bases(protocol);

  it('what nobody knows, anywhere in a reply, comes back in its place', () => {
    const anyBase = fc.oneof(fc.constantFrom(...all.slice(0, 2)), fc.constantFrom(...all));
    fc.assert(
      fc.property(anyBase, insertion, ({ response, start, end }, what) => {
        const { text, added } = insert(response, start, end, what);
        const reply = dialect(protocol).readResponse(text);
        const altered = text.slice(start, end + text.length - response.length);
        expect(reply.message.raw).toContain(altered);
        const { body, losses } = echo(protocol, reply);
        expect(body).toContain(added);
        expect(body).toContain(inner(altered));
        expect(losses).toEqual([]);
      }),
      { seed: 1, numRuns: runs(400) },
    );
  });

  it('several at once, in each other and beside each other', () => {
    fc.assert(
      fc.property(fc.constantFrom(...all), fc.array(insertion, { minLength: 2, maxLength: 5 }), (base, several) => {
        let text = base.response;
        for (const what of several)
          text = insert(text, base.start, base.end + text.length - base.response.length, what).text;
        const reply = dialect(protocol).readResponse(text);
        const altered = text.slice(base.start, base.end + text.length - base.response.length);
        expect(echo(protocol, reply).body).toContain(inner(altered));
      }),
      { seed: 2, numRuns: runs(200) },
    );
  });

  it('values of any kind in place of blocks, items and parts are kept', () => {
    fc.assert(
      fc.property(fc.constantFrom(...all), insertion, unknownValue, ({ response, start, end }, what, element) => {
        const { text, added } = insert(response, start, end, { ...what, element });
        const { message } = dialect(protocol).readResponse(text);
        expect(message.raw).toContain(added);
        expect(message.content.length).toBeGreaterThan(0);
      }),
      { seed: 3, numRuns: runs(200) },
    );
  });
});
