import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { runs } from '../../../../scripts/test-shares.ts';
import { serving } from '../../src/dialect.ts';
import { dialect, elementTexts, type Reply } from '../../src/index.ts';
import { readAsBlocks } from '../corpus/streamed.ts';
import { APIS } from '../matrix/apis.ts';
import { streamOf } from '../matrix/streamed.ts';
import { HEAD, readChunks, TARGETS, toBytes } from './written.ts';

const SAID = { thought: 'Hm, “ü”?', text: 'Grüezi 😀', calls: [{ args: '{"a":"é"}' }, { args: '{}' }] };

/** The text that a target makes of a stream, event by event. */
function written(
  target: string,
  from: string,
  options: object = {},
): { readonly pieces: string[]; readonly reply: Reply } {
  const api = APIS.find(({ id }) => id === from)!;
  const writer = serving(dialect(target)).writeStream!({ ...HEAD, ...options, dialect: from });
  const { reply, events } = readAsBlocks(api.dialect, streamOf(api, 'any', SAID, 1));
  return { pieces: [...events.map((event) => writer.push(event)), writer.finish(reply)], reply };
}

describe.each(TARGETS)('a stream written as %s', (target) => {
  const from = fc.constantFrom(...APIS.map(({ id }) => id));

  it('is the same however its bytes are cut', () => {
    fc.assert(
      fc.property(
        from,
        fc.array(fc.integer({ min: 1, max: 99 }), { minLength: 1, maxLength: 9 }),
        (upstream, sizes) => {
          const bytes = toBytes(target, written(target, upstream).pieces.join(''));
          const chunks: Uint8Array[] = [];
          for (let at = 0, turn = 0; at < bytes.length; at += sizes[turn++ % sizes.length]!)
            chunks.push(bytes.subarray(at, at + sizes[turn % sizes.length]!));
          expect(readChunks(target, chunks).message.raw).toBe(readChunks(target, [bytes]).message.raw);
        },
      ),
      { numRuns: runs(50) },
    );
  });

  it('can be read as far as it came', () => {
    fc.assert(
      fc.property(from, fc.nat(), (upstream, count) => {
        const { pieces, reply } = written(target, upstream);
        const part = readChunks(target, [toBytes(target, pieces.slice(0, count % pieces.length).join(''))]);
        expect(part.message.origin.cut).toBe(true);
        const said = part.message.text;
        expect(reply.message.text.startsWith(said)).toBe(true);
      }),
      { numRuns: runs(100) },
    );
  });
});

it('a stream of Google as a list is one JSON text', () => {
  const { pieces, reply } = written('google-generatecontent', 'anthropic-messages', { asList: true });
  const reader = dialect('google-generatecontent').readStream();
  for (const chunk of elementTexts(pieces.join(''))) reader.push(undefined, chunk);
  expect(reader.finish().message.text).toBe(reply.message.text);
});
