import { describe, expect, it } from 'vitest';
import type { ContentBlock, Reply } from '../../src/index.ts';
import { parseSource } from '../corpus/source-json.ts';
import { readChunks } from '../corpus/streamed.ts';
import { FIXTURES } from '../fixtures/index.ts';

/** The view with adjacent plain texts and thoughts joined, and unknown blocks by value. */
function view({ message, stop, usage }: Reply): unknown {
  return {
    role: message.role,
    text: message.text,
    content: joinedBlocks(message.content).map((block) =>
      block.type === 'unknown' ? { type: 'unknown', native: parseSource(block.native) } : block,
    ),
    needs: message.facts.needs,
    stop,
    usage: usage && { ...usage, native: parseSource(usage.native) },
  };
}

function joinedBlocks(content: readonly ContentBlock[]): readonly ContentBlock[] {
  const all: ContentBlock[] = [];
  for (const block of content) {
    const last = all.at(-1);
    const isPlain = (one: ContentBlock | undefined) =>
      (one?.type === 'text' && !one.citations) || (one?.type === 'reasoning' && !one.redacted);
    if (last && last.type === block.type && isPlain(last) && isPlain(block) && 'text' in last && 'text' in block)
      all[all.length - 1] = { ...last, text: last.text + block.text };
    else all.push(block);
  }
  return all;
}

describe.each(FIXTURES.map((fixture) => [fixture.dialect.id, fixture] as const))('%s', (id, fixture) => {
  it('a streamed reply looks like the same reply unstreamed', () => {
    expect(view(readChunks(id, [fixture.sse]).reply)).toEqual(view(fixture.dialect.readResponse(fixture.reply)));
  });

  it('so does one that calls tools, with its arguments to the letter', () => {
    const streamed = readChunks(id, [fixture.toolCallSse]).reply;
    const whole = fixture.dialect.readResponse(fixture.toolCallReply);
    expect(view(streamed)).toEqual(view(whole));
    expect(streamed.message.toolUses).toHaveLength(2);
    expect(streamed.message.toolUses[0]?.rawParameters).toContain('2512292042121000001');
  });

  it('what was told while it arrived is what the reply says', () => {
    const { reply, events } = readChunks(id, [fixture.sse]);
    const told = (type: 'text' | 'reasoning') =>
      events.map((event) => (event.type === type ? event.text : '')).join('');
    expect(told('text')).toBe(reply.message.text);
    expect(told('reasoning')).toBe(
      reply.message.content.map((block) => (block.type === 'reasoning' ? block.text : '')).join(''),
    );
    const calling = readChunks(id, [fixture.toolCallSse]);
    for (const [index, use] of calling.reply.message.toolUses.entries()) {
      const begun = calling.events.filter((event) => event.type === 'tool-use')[index];
      const pieces = calling.events.filter((event) => event.type === 'tool-arguments' && event.index === begun?.index);
      expect(begun).toMatchObject({ id: use.id, name: use.name });
      expect(pieces.map((piece) => ('text' in piece ? piece.text : '')).join('') || '{}').toBe(
        use.rawParameters || '{}',
      );
    }
  });
});
