import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { runs, share } from '../../../../scripts/test-shares.ts';
import type { BlockEvent } from '../../src/dialect.ts';
import { assistant, type ContentBlock, dialect, type Reply, type Stop, type Usage } from '../../src/index.ts';
import { exchanges, PROTOCOLS } from '../corpus/recordings.ts';
import { CONTRADICTORY, readBlocksOf, streams } from '../corpus/streamed.ts';
import { asStream, asWhole, difference, TARGETS } from './written.ts';

interface Recorded {
  readonly name: string;
  readonly reply: Reply;
  readonly events: readonly BlockEvent[];
}

/** Every reply of the corpus that came to its end. */
const ALL_RECORDED: readonly Recorded[] = PROTOCOLS.flatMap((protocol) => [
  ...streams(protocol)
    .filter(({ name }) => name !== CONTRADICTORY)
    .map(({ name, sse }) => ({ name, ...readBlocksOf(protocol, sse) })),
  ...exchanges(protocol).flatMap(({ name, response }): Recorded[] => {
    if (response === undefined) return [];
    try {
      return [{ name, reply: dialect(protocol).readResponse(response), events: [] }];
    } catch {
      return [];
    }
  }),
]).filter(({ reply, events }) => !reply.message.origin.cut && !events.some(({ type }) => type === 'error'));

const RECORDED = share(ALL_RECORDED);

const total = (usage: Usage | undefined): number | undefined =>
  usage && usage.input + usage.cacheRead + usage.cacheWrite5m + usage.cacheWrite1h + usage.output + usage.reasoning;

describe.each(TARGETS)('a recorded reply as %s', (target) => {
  it('is read back as the same blocks, whole', () => {
    const wrong = RECORDED.flatMap(
      ({ name, reply }) => difference(reply, asWhole(target, reply))?.slice(0, 2000).concat(` in ${name}`) ?? [],
    );
    expect(wrong).toEqual([]);
  });

  it('is read back in its exact text where it is of that dialect', () => {
    const own = RECORDED.filter(({ reply }) => reply.message.origin.dialect === target);
    for (const { reply } of own) {
      const read = asWhole(target, reply);
      expect(read.reply.message.raw).toBe(reply.message.raw);
      expect(read.losses).toEqual([]);
    }
  });

  it('is read back as the same blocks, streamed from its events', () => {
    const wrong = RECORDED.filter(({ events }) => events.length > 0).flatMap(({ name, reply, events }) => {
      return (
        difference(reply, asStream(target, reply, events))
          ?.slice(0, 2000)
          .concat(` in ${name}`) ?? []
      );
    });
    expect(wrong).toEqual([]);
  });

  it('is read back as the same blocks, streamed from the whole', () => {
    const wrong = RECORDED.flatMap(
      ({ name, reply }) =>
        difference(reply, asStream(target, reply, []))
          ?.slice(0, 2000)
          .concat(` in ${name}`) ?? [],
    );
    expect(wrong).toEqual([]);
  });

  it('counts the same tokens and ends for the same reason', () => {
    for (const { name, reply } of RECORDED) {
      for (const read of [asWhole(target, reply), asStream(target, reply, [])]) {
        if (reply.usage && total(reply.usage) !== 0)
          expect([name, total(read.reply.usage)]).toEqual([name, total(reply.usage)]);
        const plain = ['end', 'tool-use', 'length'].includes(reply.stop.reason);
        if (plain && read.losses.every(({ kind }) => kind !== 'dropped'))
          expect([name, read.reply.stop.reason]).toEqual([name, reply.stop.reason]);
      }
    }
  });
});

const text = fc.string({ unit: 'grapheme', minLength: 1 });
const block: fc.Arbitrary<ContentBlock> = fc.oneof(
  fc.record({ type: fc.constant('text' as const), text }),
  fc.record({
    type: fc.constant('text' as const),
    text,
    citations: fc.constant([
      { url: 'https://a.example', title: 'A', native: '{"url":"https://a.example","title":"A"}' },
    ]),
  }),
  fc.record({ type: fc.constant('reasoning' as const), text, redacted: fc.constant(false) }),
  fc.constant({ type: 'reasoning' as const, text: '', redacted: true }),
  fc.record({ type: fc.constant('refusal' as const), text }),
  fc
    .record({
      id: fc.stringMatching(/^call_[a-z0-9]{8}$/),
      value: fc.dictionary(fc.string(), fc.jsonValue({ maxDepth: 1 })),
    })
    .map(({ id, value }) => {
      const rawParameters = JSON.stringify(value);
      return { type: 'tool-use' as const, id, name: 'look', parameters: JSON.parse(rawParameters), rawParameters };
    }),
  fc.constant({ type: 'media' as const, mediaType: 'image/png', source: { kind: 'base64' as const, data: 'aGk=' } }),
);

const usage: Usage = {
  input: 9,
  cacheRead: 3,
  cacheWrite5m: 2,
  cacheWrite1h: 1,
  output: 7,
  reasoning: 4,
  native: '{}',
};

describe.each(TARGETS)('any reply as %s', (target) => {
  it('is read back as the same blocks, but for what its losses name', () => {
    fc.assert(
      fc.property(fc.array(block, { minLength: 1, maxLength: 6 }), fc.boolean(), (content, hasReference) => {
        const message = assistant(content);
        const stop: Stop = { reason: message.toolUses.length > 0 ? 'tool-use' : 'end', native: undefined };
        const reply: Reply = { message, stop, usage, alternatives: [], envelope: '{}' };
        const head = hasReference ? { reference: (index: number) => btoa(`block ${index}`) } : {};
        expect(difference(reply, asWhole(target, reply, head))).toBeUndefined();
        const streamed = asStream(target, reply, [], head);
        expect(difference(reply, streamed)).toBeUndefined();
        expect(total(streamed.reply.usage)).toBe(total(usage));
        if (hasReference && target === 'anthropic-messages') {
          const at = content.findIndex(({ type }) => type === 'reasoning');
          if (at >= 0) expect(streamed.text).toContain(btoa(`block ${at}`));
        }
      }),
      { numRuns: runs(200) },
    );
  });
});
