/** A provider and a client of it, without a socket. Answers follow from the request; failures from the seed. */
import assert from 'node:assert/strict';
import type { FetchFunction } from '../../src/record/record-fetch.ts';
import type { VirtualTime } from './virtual-time.ts';

export interface ChatMessage {
  readonly role: string;
  readonly content: string;
}

/** A provider that keeps what it was asked, by the first question of the conversation. */
export interface SimulatedProvider {
  readonly fetch: FetchFunction;
  /** How many requests failed, or broke off. */
  faults(): number;
  /** How many requests extended the last one of their conversation. */
  extended(): number;
}

export const ADDRESS = 'https://api.openai.com/v1/chat/completions';

export function createProvider(time: VirtualTime): SimulatedProvider {
  const last = new Map<string, readonly ChatMessage[]>();
  let faults = 0;
  let extended = 0;
  let answers = 0;
  const fetch: FetchFunction = async (_address, init) => {
    await time.sleep(time.below(2000));
    const { messages, stream } = JSON.parse(String(init?.body)) as { messages: ChatMessage[]; stream?: boolean };
    const opening = messages.find(({ role }) => role === 'user')?.content ?? '';
    const before = last.get(opening) ?? [];
    // Branches of one conversation part somewhere; whatever they share is sent as it was.
    const shared = before.findIndex((message, at) => message.content !== messages[at]?.content);
    for (const [at, message] of before.slice(0, shared < 0 ? undefined : shared).entries())
      assert.deepEqual(messages[at], message, 'what is sent extends what was sent');
    if (before.length > 0 && shared < 0) extended += 1;
    last.set(opening, messages);
    if (time.random() < 0.1) {
      faults += 1;
      return Response.json({ error: { message: 'Try again.', type: 'server_error' } }, { status: 500 });
    }
    answers += 1;
    const content = `Answer ${answers} to ${messages.at(-1)!.content}`;
    const id = `chatcmpl-${answers}`;
    if (!stream) {
      const choices = [{ index: 0, message: { role: 'assistant', content }, finish_reason: 'stop' }];
      return Response.json({ id, object: 'chat.completion', model: 'gpt-5.5', choices });
    }
    const isCut = time.random() < 0.1;
    if (isCut) faults += 1;
    return streamed(time, id, content, isCut);
  };
  return { fetch, faults: () => faults, extended: () => extended };
}

function streamed(time: VirtualTime, id: string, content: string, isCut: boolean): Response {
  const pieces = content.split(/(?<= )/);
  const chunk = (choice: object) =>
    `data: ${JSON.stringify({ id, object: 'chat.completion.chunk', model: 'gpt-5.5', choices: [{ index: 0, ...choice }] })}\n\n`;
  const texts = [
    chunk({ delta: { role: 'assistant', content: '' } }),
    ...pieces.map((text) => chunk({ delta: { content: text } })),
    chunk({ delta: {}, finish_reason: 'stop' }),
    'data: [DONE]\n\n',
  ];
  const left = isCut ? texts.slice(0, 1 + time.below(pieces.length)) : texts;
  const encoder = new TextEncoder();
  const body = new ReadableStream({
    async pull(controller) {
      await time.sleep(time.below(300));
      const text = left.shift();
      if (text !== undefined) controller.enqueue(encoder.encode(text));
      else if (isCut) controller.error(new Error('The connection broke.'));
      else controller.close();
    },
  });
  return new Response(body, { headers: { 'content-type': 'text/event-stream' } });
}
