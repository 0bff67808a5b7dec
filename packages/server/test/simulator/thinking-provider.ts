/** A provider whose replies think. It judges what comes back: texts that it has seen stay as they were, to the byte. */
import assert from 'node:assert/strict';
import type { RequestListener, ServerResponse } from 'node:http';
import { find } from '@skein/core';
import type { VirtualTime } from '../../../forest/test/simulator/virtual-time.ts';

interface IssuedReply {
  readonly thinking: string;
  readonly text: string;
}

export interface ThinkingProvider {
  readonly handler: RequestListener;
  /** Throws what it found wrong with a request: nobody else would hear of it. */
  verdict(): void;
  /** The bytes of the response that has an answer; undefined if it broke off. */
  sent(answer: string): string | undefined;
  faults(): number;
  /** Requests that extended the last one, and thoughts that came back. */
  assertions(): number;
}

export function createThinkingProvider(time: VirtualTime): ThinkingProvider {
  const last = new Map<string, string>();
  const issued = new Map<string, IssuedReply[]>();
  /** By the text of the answer. */
  const bodies = new Map<string, string>();
  let wrong: unknown;
  let [faults, assertions, replies] = [0, 0, 0];

  /** Gives back the name of the conversation, which its first question has. */
  const judge = (body: string): string => {
    const range = find(body, ['messages'])!;
    const messages = body.slice(range.start, range.end).replaceAll(/,"cache_control":\{[^}]*\}/g, '');
    const [name = ''] = /Talk \d+/.exec(messages) ?? [];
    const turns = [...messages.matchAll(/(Talk \d+), turn (\d+)/g)];
    const expected = turns.map((_, at) => `${name}, turn ${at + 1}`);
    assert.deepEqual(
      turns.map(([text]) => text),
      expected,
      `what is sent has every question:\n${messages}`,
    );
    const before = last.get(name) ?? '[';
    assert.ok(messages.startsWith(before), `what is sent extends what was sent:\n${before}\n${messages}`);
    last.set(name, messages.slice(0, -1));
    assertions += 1;
    for (const { thinking, text } of issued.get(name) ?? [])
      if (messages.includes(text)) {
        assert.ok(messages.includes(thinking), `the thought of "${text}" comes back as it was:\n${messages}`);
        assertions += 1;
      }
    return name;
  };

  const answer = async (body: string, response: ServerResponse): Promise<void> => {
    const name = judge(body);
    await time.sleep(time.below(2000));
    const luck = time.below(20);
    if (luck < 4) faults += 1;
    if (luck < 2) {
      const error = { type: 'error', error: { type: 'api_error', message: 'Try again.' } };
      response.writeHead(500, { 'content-type': 'application/json' }).end(JSON.stringify(error));
      return;
    }
    replies += 1;
    const text = `Answer ${replies} to ${name}`;
    const signature = Buffer.from(`${time.random()} ${replies}`).toString('base64');
    const thinking = { type: 'thinking', thinking: `Thought ${replies}\u00e9 "so"`, signature };
    issued.set(name, [...(issued.get(name) ?? []), { thinking: JSON.stringify(thinking), text }]);
    const { stream, model } = JSON.parse(body) as { stream?: boolean; model: string };
    const head = { id: `msg_${replies}`, type: 'message', role: 'assistant', model, content: [] as object[] };
    const end = { stop_reason: 'end_turn', stop_sequence: null };
    const usage = { input_tokens: 10, output_tokens: 5 };
    if (!stream) {
      const whole = JSON.stringify({ ...head, content: [thinking, { type: 'text', text }], ...end, usage });
      bodies.set(text, whole);
      response.writeHead(200, { 'content-type': 'application/json' }).end(whole);
      return;
    }
    const events = [
      { type: 'message_start', message: { ...head, stop_reason: null, stop_sequence: null, usage } },
      { type: 'content_block_start', index: 0, content_block: { type: 'thinking', thinking: '', signature: '' } },
      ...thinking.thinking
        .split(/(?<= )/)
        .map((piece) => ({ index: 0, delta: { type: 'thinking_delta', thinking: piece } })),
      { index: 0, delta: { type: 'signature_delta', signature } },
      { type: 'content_block_stop', index: 0 },
      { type: 'content_block_start', index: 1, content_block: { type: 'text', text: '' } },
      ...text.split(/(?<= )/).map((piece) => ({ index: 1, delta: { type: 'text_delta', text: piece } })),
      { type: 'content_block_stop', index: 1 },
      { type: 'message_delta', delta: end, usage },
      { type: 'message_stop' },
    ].map((event) => ({ type: 'content_block_delta', ...event }));
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    const write = ({ type, ...event }: { readonly type: string }) =>
      `event: ${type}\ndata: ${JSON.stringify({ type, ...event })}\n\n`;
    if (luck >= 4) bodies.set(text, events.map(write).join(''));
    // Two of twenty break off in the middle.
    for (const event of luck < 4 ? events.slice(0, 1 + time.below(events.length - 1)) : events) {
      await time.sleep(time.below(300));
      response.write(write(event));
    }
    if (luck < 4) response.destroy();
    else response.end();
  };

  return {
    handler(request, response) {
      response.sendDate = false;
      const pieces: Buffer[] = [];
      request.on('data', (piece: Buffer) => pieces.push(piece));
      request.on('end', () => {
        answer(Buffer.concat(pieces).toString(), response).catch((error: unknown) => {
          wrong ??= error;
          response.destroy();
        });
      });
      request.on('error', () => undefined);
      response.on('error', () => undefined);
    },
    verdict() {
      if (wrong !== undefined) throw wrong;
    },
    sent: (answer) => bodies.get(answer),
    faults: () => faults,
    assertions: () => assertions,
  };
}
