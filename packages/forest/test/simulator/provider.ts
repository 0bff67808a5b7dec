/** A provider and a client of it, without a socket. Answers follow from the request; failures from the seed. */
import assert from 'node:assert/strict';
import { isDeepStrictEqual } from 'node:util';
import { elementTexts, textAt } from '@skein/core';
import type { FetchFunction } from '../../src/record/record-fetch.ts';
import type { VirtualTime } from './virtual-time.ts';

export interface ChatMessage {
  readonly role: string;
  readonly content: string;
}

/** A provider that keeps what it was asked and what it answered, and judges what comes back. */
export interface SimulatedProvider {
  readonly fetch: FetchFunction;
  /** How many requests failed, or broke off. */
  faults(): number;
  /** Throws what it found wrong with a request: whoever sent that takes it for a failure of the provider. */
  verdict(): void;
  /** How many answers came back behind the messages that they answer. */
  extended(): number;
}

export const ADDRESS = 'https://api.openai.com/v1/chat/completions';

export function createProvider(time: VirtualTime): SimulatedProvider {
  /**
   * The messages that answers are for, as they were written, by the text of the answer: of a stream, by each text that it had on its way,
   * because it may break off there, and there may be several of these.
   */
  const asked = new Map<string, (readonly string[])[]>();
  let faults = 0;
  let extended = 0;
  let answers = 0;

  /** An answer comes back as it was given, behind the messages that it answers. */
  const judge = (body: string, messages: readonly ChatMessage[]) => {
    const texts = elementTexts(textAt(body, ['messages'])!);
    const questions = messages.filter(({ role }) => role === 'user').map(({ content }) => content);
    const [, turn] = /, turn (\d+)$/.exec(questions.at(-1) ?? '') ?? [];
    if (turn !== undefined)
      assert.equal(questions.length, Number(turn), `what is sent has every question: ${texts.join()}`);
    for (const [at, { role, content }] of messages.entries()) {
      if (role !== 'assistant') continue;
      const before = asked.get(content);
      assert.ok(before, `what is sent has answers as they were given: ${content}`);
      const sent = texts.slice(0, at);
      const same = before.find((list) => isDeepStrictEqual(list, sent)) ?? before.at(-1);
      assert.deepEqual(sent, same, 'what is sent extends what was sent');
      extended += 1;
    }
    return texts;
  };

  const keep = (answer: string, texts: readonly string[]) => {
    asked.set(answer, [...(asked.get(answer) ?? []), texts]);
  };
  let wrong: unknown;
  const judgeOnce: typeof judge = (...given) => {
    try {
      return judge(...given);
    } catch (error) {
      wrong ??= error;
      throw error;
    }
  };

  const fetch: FetchFunction = async (_address, init) => {
    await time.sleep(time.below(2000));
    const body = String(init?.body);
    const { messages, stream } = JSON.parse(body) as { messages: ChatMessage[]; stream?: boolean };
    const texts = judgeOnce(body, messages);
    if (time.random() < 0.1) {
      faults += 1;
      return Response.json({ error: { message: 'Try again.', type: 'server_error' } }, { status: 500 });
    }
    answers += 1;
    const content = `Answer ${answers} to ${messages.at(-1)!.content}`;
    const id = `chatcmpl-${answers}`;
    if (!stream) {
      keep(content, texts);
      const choices = [{ index: 0, message: { role: 'assistant', content }, finish_reason: 'stop' }];
      return Response.json({ id, object: 'chat.completion', model: 'gpt-5.5', choices });
    }
    const isCut = time.random() < 0.1;
    if (isCut) faults += 1;
    const pieces = content.split(/(?<= )/);
    const given = isCut ? pieces.slice(0, time.below(pieces.length)) : pieces;
    return streamed(time, id, given, { isCut, onText: (text) => keep(text, texts) });
  };
  const verdict = () => {
    if (wrong !== undefined) throw wrong;
  };
  return { fetch, verdict, faults: () => faults, extended: () => extended };
}

/** `onText` hears of all that was sent of the answer. */
function streamed(
  time: VirtualTime,
  id: string,
  pieces: readonly string[],
  { isCut, onText }: { readonly isCut: boolean; readonly onText: (text: string) => void },
): Response {
  const chunk = (choice: object) =>
    `data: ${JSON.stringify({ id, object: 'chat.completion.chunk', model: 'gpt-5.5', choices: [{ index: 0, ...choice }] })}\n\n`;
  const texts = [
    chunk({ delta: { role: 'assistant', content: '' } }),
    ...pieces.map((text) => chunk({ delta: { content: text } })),
    ...(isCut ? [] : [chunk({ delta: {}, finish_reason: 'stop' }), 'data: [DONE]\n\n']),
  ];
  const encoder = new TextEncoder();
  let sent = 0;
  const body = new ReadableStream({
    async pull(controller) {
      await time.sleep(time.below(300));
      const text = texts.shift();
      // The first event has no text.
      if (sent <= pieces.length) onText(pieces.slice(0, sent).join(''));
      sent += 1;
      if (text !== undefined) controller.enqueue(encoder.encode(text));
      else if (isCut) controller.error(new Error('The connection broke.'));
      else controller.close();
    },
  });
  return new Response(body, { headers: { 'content-type': 'text/event-stream' } });
}
