import { describe, expect, it } from 'vitest';
import { readChunks } from '../corpus/streamed.ts';
import { FIXTURES } from '../fixtures/index.ts';
import { sseText } from '../fixtures/sse-text.ts';
import { outcome } from './told.ts';

/** Other ways to write the same events. */
const FRAMINGS: Readonly<Record<string, (sse: string) => string>> = {
  'CRLF line ends': (sse) => sse.replaceAll('\n', '\r\n'),
  'CR line ends': (sse) => sse.replaceAll('\n', '\r'),
  'comments between and inside events': (sse) =>
    `: OPENROUTER PROCESSING\n\n${sse.replaceAll('data: ', ': keep-alive\ndata: ')}: bye\n\n`,
  'a byte order mark': (sse) => `\ufeff${sse}`,
  'no space behind the colon': (sse) => sse.replaceAll('data: ', 'data:').replaceAll('event: ', 'event:'),
  'ids and retry times': (sse) => sse.replaceAll('data: ', 'id: 7\nretry: 3000\ndata: '),
  'more blank lines': (sse) => `\n\n${sse.replaceAll('\n\n', '\n\n\n\n')}`,
  'no blank line at the end': (sse) => sse.replace(/\n+$/, ''),
  'CRLF without a blank line at the end': (sse) => sse.replaceAll('\n', '\r\n').replace(/(\r\n)+$/, ''),
};

describe.each(FIXTURES.map((fixture) => [fixture.dialect.id, fixture] as const))('%s', (id, fixture) => {
  it.each(Object.entries(FRAMINGS))('%s', (_, framed) => {
    for (const sse of [fixture.sse, fixture.toolCallSse]) {
      const expected = outcome(readChunks(id, [sse]));
      const bytes = new TextEncoder().encode(framed(sse));
      expect(outcome(readChunks(id, [bytes]))).toBe(expected);
      for (const size of [1, 2, 3, 7]) expect(outcome(readChunks(id, slices(bytes, size)))).toBe(expected);
    }
  });

  it('an error inside the stream is told, kept, and ends the reply', () => {
    const half = fixture.sse.slice(0, fixture.sse.indexOf('\n\n', fixture.sse.length / 2) + 2);
    const { reply, events } = readChunks(id, [half, sseText([fixture.errorEvent])]);
    const [told] = events.filter((event) => event.type === 'error');
    expect(told?.message.length).toBeGreaterThan(5);
    expect(reply.stop.reason).toBe('error');
    expect(reply.envelope).toContain(fixture.errorKept ?? fixture.errorEvent[1]);
    expect(reply.message.raw).toBe(readChunks(id, [half]).reply.message.raw);
  });

  it('a missing end is a cut', () => {
    const { reply } = readChunks(id, [fixture.sse.slice(0, fixture.sse.indexOf('\n\n', fixture.sse.length / 2) + 2)]);
    expect(reply.stop.reason).toBe('cut');
    expect(reply.message.origin.cut).toBe(true);
    expect(readChunks(id, [fixture.sse]).reply.message.origin.cut).toBeUndefined();
  });

  it('nothing at all is a cut reply without content', () => {
    const { reply, events } = readChunks(id, []);
    expect(events).toEqual([]);
    expect(reply.message.origin.cut).toBe(true);
    expect(reply.message.facts.needs).toContain('empty');
    expect(() => JSON.parse(reply.message.raw)).not.toThrow();
    expect(() => JSON.parse(reply.envelope)).not.toThrow();
  });
});

describe('openai-chat', () => {
  it('a chunk that brings nothing but usage changes nothing but usage', () => {
    const fixture = FIXTURES.find(({ dialect }) => dialect.id === 'openai-chat')!;
    const [withUsage, without] = [fixture.sse, fixture.sse.replace(/data: [^\n]*"choices":\[\][^\n]*\n\n/, '')].map(
      (sse) => readChunks('openai-chat', [sse]).reply,
    );
    expect(without?.message.raw).toBe(withUsage?.message.raw);
    expect(withUsage?.usage).toMatchObject({ input: 15, cacheRead: 4, output: 7, reasoning: 3 });
    expect(without?.usage).toBeUndefined();
    const alone = readChunks('openai-chat', ['data: {"usage":{"prompt_tokens":1,"completion_tokens":2}}\n\n']).reply;
    expect(alone.usage).toMatchObject({ input: 1, output: 2 });
  });
});

function slices(bytes: Uint8Array, size: number): Uint8Array[] {
  return Array.from({ length: Math.ceil(bytes.length / size) }, (_, index) =>
    bytes.subarray(index * size, (index + 1) * size),
  );
}
