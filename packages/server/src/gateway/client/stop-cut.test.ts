import { anthropicMessages } from '@skein/core';
import { type BlockEvent, readBlocks } from '@skein/core/dialect';
import { describe, expect, it } from 'vitest';
import type { AnswerSource } from './answer.ts';
import { joinCopies } from './copies.ts';
import { cutAtStops } from './stop-cut.ts';

const body = (text: string) =>
  JSON.stringify({
    ...{ id: 'msg_1', type: 'message', role: 'assistant', model: 'c', stop_reason: 'end_turn' },
    content: [{ type: 'text', text }],
    usage: { input_tokens: 3, output_tokens: 2 },
  });

/** An answer whose text arrives in these pieces. */
function answer(pieces: readonly string[]): AnswerSource & { isLeft(): boolean } {
  const reader = readBlocks(anthropicMessages);
  const push = (type: string, data: object) => reader.push(type, JSON.stringify({ type, ...data }));
  const state = { left: true };
  return {
    dialect: 'anthropic-messages',
    isLeft: () => state.left,
    events: (async function* (): AsyncGenerator<readonly BlockEvent[]> {
      yield push('message_start', { message: JSON.parse(body('')) });
      yield push('content_block_start', { index: 0, content_block: { type: 'text', text: '' } });
      for (const text of pieces) yield push('content_block_delta', { index: 0, delta: { type: 'text_delta', text } });
      yield push('content_block_stop', { index: 0 });
      yield push('message_delta', { delta: { stop_reason: 'end_turn' }, usage: { output_tokens: 2 } });
      state.left = false;
      yield reader.finish().events;
    })(),
    reply: () => reader.finish().reply,
  };
}

async function read(source: AnswerSource): Promise<string[]> {
  const texts: string[] = [];
  for await (const events of source.events)
    for (const event of events) if (event.type === 'text') texts.push(event.text);
  return texts;
}

describe('cutAtStops', () => {
  it('ends a stream before a sequence, however it is cut, and leaves the upstream', async () => {
    for (const pieces of [['one EN', 'D two'], ['one ', 'E', 'N', 'D', ' two'], ['one END two']]) {
      const source = answer(pieces);
      const cut = cutAtStops(source, ['END', 'STOP']);
      expect((await read(cut)).join('')).toBe('one ');
      expect(source.isLeft()).toBe(true);
      expect(cut.reply()).toMatchObject({ message: { text: 'one ' }, stop: { reason: 'stop-sequence' } });
    }
  });

  it('holds back only what may become a sequence, and sends it when it does not', async () => {
    expect(await read(cutAtStops(answer(['one E', 'gg', ' EN']), ['END']))).toEqual(['one ', 'Egg', ' ', 'EN']);
  });

  it('sends the same text as without sequences, for all ways to cut a text that has none', async () => {
    const text = 'ENENDS'.replace('ENDS', 'ENxENE');
    for (let at = 0; at <= text.length; at++)
      expect((await read(cutAtStops(answer([text.slice(0, at), text.slice(at)]), ['END', 'NEXT']))).join('')).toBe(
        text,
      );
  });

  it('cuts a whole reply', () => {
    const reply = anthropicMessages.readResponse(body('one END two'));
    const source = { dialect: 'anthropic-messages', events: answer([]).events, reply: () => reply };
    expect(cutAtStops(source, ['END']).reply().message.text).toBe('one ');
    expect(cutAtStops(source, ['FIN']).reply()).toBe(reply);
  });
});

describe('joinCopies', () => {
  it('gives alternatives, and counts the tokens of all', async () => {
    const joined = joinCopies([answer(['one']), answer(['two']), answer(['three'])]);
    const choices = new Map<number, string>();
    for await (const events of joined.events)
      for (const event of events) {
        const [choice, inner] = event.type === 'choice' ? [event.choice, event.event] : [0, event];
        if (inner.type === 'text') choices.set(choice, (choices.get(choice) ?? '') + inner.text);
      }
    expect([...choices].sort(([a], [b]) => a - b)).toEqual([
      [0, 'one'],
      [1, 'two'],
      [2, 'three'],
    ]);
    const { message, alternatives, usage } = joined.reply();
    expect([message.text, ...alternatives.map((one) => one.message.text)]).toEqual(['one', 'two', 'three']);
    expect(usage).toMatchObject({ input: 9, output: 6 });
  });
});
