import { type ContentBlock, canonical, decodeSse, type StreamEvent, user, writeRequest } from '@skein/core';
import { describe, expect, test } from 'vitest';
import { APIS, anthropic, chat, google, newest, responses } from '../matrix/apis.ts';
import { responseBody, secret } from '../matrix/said.ts';
import { readStreamed, type SseEvent, streamOf } from '../matrix/streamed.ts';
import { inner } from './kit.ts';

/** Streams cut text where they like. */
function joined(content: readonly ContentBlock[]): ContentBlock[] {
  const done: ContentBlock[] = [];
  for (const block of content) {
    const last = done.at(-1);
    if (block.type !== 'text' || last?.type !== 'text') done.push(block);
    else done[done.length - 1] = { type: 'text', text: last.text + block.text };
  }
  return done;
}

const said = { thought: 'hm, let me see', text: 'Let me "look" 😀', calls: [{}, { args: '{"a":1.0}' }] };

describe('streams', () => {
  test('the signature of a streamed thought is not kept (anomalyco/opencode#6176)', () => {
    const events = streamOf(anthropic, 'claude-opus-4-8', said, 7);
    const { message } = readStreamed(anthropic, events);
    const { body } = writeRequest(anthropic.dialect, {
      model: 'claude-opus-4-8',
      messages: [user('Look'), message, user('Go on')],
    });
    expect(body).toContain(`"signature":"${secret(anthropic, 7)}"`);
    expect(body).toContain(message.raw.slice(1, -1).split(',"content":')[0]);
  });

  test.each(APIS)(
    'a streamed turn is stored differently from an unstreamed one: $id (openai/openai-agents-js#770)',
    (api) => {
      const model = newest(api);
      const streamed = readStreamed(api, streamOf(api, model, said, 3));
      const whole = api.dialect.readResponse(responseBody(api, model, said, 3));
      expect(joined(streamed.message.content)).toEqual(joined(whole.message.content));
      expect(streamed.stop).toEqual(whole.stop);
      expect(streamed.message.origin).toEqual(whole.message.origin);
      for (const { rawParameters } of streamed.message.toolUses)
        expect(canonical(rawParameters)).toMatch(/2512292042121000001|"a":1/);
    },
  );

  test('one reasoning item arrives with several ciphertexts, and two of them are stored (simonw/llm 0.32)', () => {
    const item = (cipher: string) => `{"id":"rs_1","type":"reasoning","summary":[],"encrypted_content":"${cipher}"}`;
    const text =
      '{"id":"msg_1","type":"message","status":"completed","role":"assistant","content":[{"type":"output_text","text":"Hi","annotations":[]}]}';
    const events: SseEvent[] = [
      [
        'response.created',
        '{"type":"response.created","response":{"id":"resp_1","status":"in_progress","model":"gpt-5.2","output":[]}}',
      ],
      ['response.output_item.added', `{"type":"response.output_item.added","output_index":0,"item":${item('first')}}`],
      ['response.output_item.done', `{"type":"response.output_item.done","output_index":0,"item":${item('second')}}`],
      ['response.output_item.done', `{"type":"response.output_item.done","output_index":1,"item":${text}}`],
      [
        'response.completed',
        `{"type":"response.completed","response":{"id":"resp_1","status":"completed","model":"gpt-5.2","output":[${item('third')},${text}]}}`,
      ],
    ];
    const { message } = readStreamed(responses, events);
    expect(message.raw).toBe(`[${item('third')},${text}]`);
    const cut = readStreamed(responses, events, {}, 4).message;
    expect(cut.raw).toContain('second');
    expect(cut.raw).not.toContain('first');
  });

  test.each(APIS)('an unknown event kills the stream: $id (vercel/ai#11309)', (api) => {
    const events = streamOf(api, newest(api), said, 1);
    const reader = api.dialect.readStream();
    const seen: StreamEvent[] = [];
    for (const [event, data] of events) {
      seen.push(...reader.push(event, data));
      seen.push(...reader.push('vertex_event', '{"type":"vertex_event","trafficType":"ON_DEMAND"}'));
    }
    const reply = reader.finish();
    expect(joined(reply.message.content)).toEqual(joined(readStreamed(api, events).message.content));
    expect(seen.filter(({ type }) => type === 'unknown')).toHaveLength(events.length);
    expect(reply.envelope).toContain('ON_DEMAND');
    expect(reply.message.origin.cut).toBeUndefined();
  });

  const errors: readonly (readonly [api: (typeof APIS)[number], event: SseEvent])[] = [
    [anthropic, ['error', '{"type":"error","error":{"type":"overloaded_error","message":"Overloaded","code":null}}']],
    [
      chat,
      [undefined, '{"error":{"message":"The server had an error","type":"server_error","param":null,"code":null}}'],
    ],
    [
      responses,
      ['error', '{"type":"error","code":null,"message":"The server had an error","param":null,"sequence_number":9}'],
    ],
    [google, [undefined, '{"error":{"code":503,"message":"The model is overloaded.","status":"UNAVAILABLE"}}']],
  ];
  test.each(errors)(
    'an error inside a stream surfaces as a validation error: $id (vercel/ai#14932)',
    (api, failure) => {
      const reader = api.dialect.readStream();
      const whole = streamOf(api, newest(api), { text: 'Let me look' }, 1);
      const events = whole.slice(0, Math.max(1, whole.length - 3));
      for (const [event, data] of events) reader.push(event, data);
      const [error, ...more] = reader.push(...failure);
      expect(more).toEqual([]);
      expect(error).toMatchObject({ type: 'error', message: expect.stringMatching(/verloaded|error/) });
      const native = error?.type === 'error' ? error.native : '';
      expect(native).toMatch(/^\{.*\}$/);
      expect(failure[1]).toContain(native);
      const reply = reader.finish();
      expect(reply.stop.reason).toBe('error');
      expect(reply.message.text).not.toBe('');
      expect(reply.envelope).toContain(inner(failure[1]).slice(1, 20));
    },
  );

  test('a stream whose bytes are cut anywhere is read the same (vercel/ai#11309)', () => {
    const events = streamOf(anthropic, 'claude-opus-4-8', said, 1);
    const bytes = new TextEncoder().encode(
      events.map(([event, data]) => `event: ${event}\r\ndata: ${data}\r\n\r\n: comment\n`).join(''),
    );
    const reader = anthropic.dialect.readStream();
    const decoder = decodeSse((event, data) => reader.push(event, data));
    for (let at = 0; at < bytes.length; at += 7) decoder.push(bytes.subarray(at, at + 7));
    decoder.end();
    expect(reader.finish().message.raw).toBe(readStreamed(anthropic, events).message.raw);
  });
});
