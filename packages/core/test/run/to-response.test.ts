import { assistant, tool, user } from '@skein/core';
import { says } from '@skein/emulator';
import {
  parseJsonEventStream,
  readUIMessageStream,
  type UIMessage,
  type UIMessageChunk,
  uiMessageChunkSchema,
} from 'ai';
import { describe, expect, test } from 'vitest';
import { APIS, anthropic, ask, bodies, chat, eventsOf, google, start, WAYS, weather } from './kit.ts';

interface Line {
  readonly type: string;
  readonly [name: string]: unknown;
}

const payloads = (text: string): string[] => text.split('\n\n').flatMap((event) => (event ? event.slice(6) : []));
const linesOf = async (response: Response): Promise<Line[]> =>
  payloads(await response.text()).map((line) => JSON.parse(line));

/** What a client of the AI SDK makes of a response. */
async function readAsClient(response: Response, onError?: (error: unknown) => void): Promise<UIMessage | undefined> {
  const chunks = parseJsonEventStream({ stream: response.body!, schema: uiMessageChunkSchema }).pipeThrough(
    new TransformStream<{ success: boolean; value?: UIMessageChunk; error?: unknown }, UIMessageChunk>({
      transform(parsed, controller) {
        if (!parsed.success) throw parsed.error;
        controller.enqueue(parsed.value!);
      },
    }),
  );
  let last: UIMessage | undefined;
  for await (const message of readUIMessageStream({ stream: chunks, ...(onError && { onError }) })) last = message;
  return last;
}

const twoSteps = [
  {
    blocks: [
      { type: 'thinking' as const, text: 'Look it up.' },
      { type: 'text' as const, text: 'One moment.' },
      { type: 'tool-use' as const, name: 'get_weather', input: { city: 'Oslo' } },
    ],
    pieces: 4,
  },
  says('It is cold.', { pieces: 3 }),
];

describe('events', () => {
  test.each(APIS)('are sent as they come, messages as raw and origin: $protocol', async (api) => {
    const emulator = await start();
    emulator.script(api.protocol, twoSteps);
    const running = ask(emulator, api, { messages: [user('Oslo?')], tools: [weather] });
    const response = running.toResponse();
    expect(response.headers.get('content-type')).toBe('text/event-stream');
    const lines = await linesOf(response);
    const events = await eventsOf(running);
    expect(lines.map(({ type }) => type)).toEqual(events.map(({ type }) => type));
    const { messages } = await running.result;
    expect(lines.flatMap((line) => (line.type === 'message' ? [line.message] : []))).toEqual(
      messages.map(({ raw, origin }) => ({ raw, origin })),
    );
  });

  test.each(WAYS)(
    'a page does not get system, tools and history: $protocol, stream $stream',
    async ({ api, stream }) => {
      const emulator = await start();
      emulator.script(api.protocol, twoSteps);
      const told = { ...weather, description: 'Internal: the weather' };
      const messages = [user('An old question'), assistant('An old answer'), user('Oslo?')];
      const running = ask(emulator, api, { messages, stream, system: 'Confidential: be brief', tools: [told] });
      const text = await running.toResponse().text();
      for (const word of ['Confidential', 'Internal', 'An old']) expect(bodies(emulator)[0]).toContain(word);
      expect(text).not.toMatch(/Confidential|Internal|An old/);
      const { messages: added, usage } = await running.result;
      const { result } = JSON.parse(payloads(text).at(-1)!) as { result: Line };
      expect(result).toMatchObject({ text: 'It is cold.', stop: { reason: 'end' }, losses: [], notices: [], usage });
      expect(result.messages).toEqual(added.map(({ raw, origin }) => ({ raw, origin })));
      expect(result.steps).toMatchObject([{ model: api.model, usage: {} }, { stop: { reason: 'end' } }]);
    },
  );

  test('what a page gets does not grow with the history', async () => {
    const emulator = await start();
    const length = async (count: number) => {
      const messages = Array.from({ length: count }, (_, at) => (at % 2 ? assistant(`${at}`) : user(`${at}`)));
      return (await ask(emulator, anthropic, { messages }).toResponse().text()).length;
    };
    expect(await length(401)).toBeLessThan((await length(1)) + 100);
  });

  test('an error is the last one, with its code and without keys', async () => {
    const emulator = await start();
    const body = '{"error":{"message":"Incorrect API key provided: sk-test-1234567890"}}';
    const reply = { raw: { status: 401, headers: { 'content-type': 'application/json' }, body } };
    for (const format of ['events', 'ui'] as const) {
      emulator.script(chat.protocol, [reply]);
      const running = ask(emulator, chat, { messages: [user('Hi')], apiKey: 'sk-test-1234567890', retry: false });
      const text = await running.toResponse({ format }).text();
      expect(text).not.toContain('sk-test-1234567890');
      const errors = payloads(text).filter((line) => line.includes('"type":"error"'));
      expect(errors).toHaveLength(1);
      expect(JSON.parse(errors[0]!)).toMatchObject(format === 'ui' ? {} : { code: 'authentication' });
    }
  });

  test('who stops reading does not stop the run, unless asked to', async () => {
    for (const stopOnCancel of [false, true]) {
      const emulator = await start();
      let finish: (value?: undefined) => void = () => {};
      const waiting = new Promise<undefined>((resolve) => {
        finish = () => resolve(undefined);
      });
      const wait = tool({ name: 'wait', execute: () => waiting });
      emulator.script(chat.protocol, [{ blocks: [{ type: 'tool-use', name: 'wait', input: {} }] }, says('Done.')]);
      const running = ask(emulator, chat, { messages: [user('Hi')], tools: [wait] });
      const reader = running.toResponse({ stopOnCancel }).body!.getReader();
      await reader.read();
      await reader.cancel();
      finish();
      const { stop } = await running.result;
      expect(stop.reason).toBe(stopOnCancel ? 'aborted' : 'end');
    }
  });
});

describe('ui', () => {
  test.each(WAYS)('is what a client of the AI SDK reads: $protocol, stream $stream', async ({ api, stream }) => {
    const emulator = await start();
    emulator.script(api.protocol, twoSteps);
    const running = ask(emulator, api, { messages: [user('Oslo?')], tools: [weather], stream });
    const response = running.toResponse({ format: 'ui' });
    expect(response.headers.get('x-vercel-ai-ui-message-stream')).toBe('v1');
    const message = await readAsClient(response);
    const parts = message!.parts.filter(({ type }) => type !== 'reasoning');
    expect(parts).toMatchObject([
      { type: 'step-start' },
      { type: 'text', text: 'One moment.', state: 'done' },
      {
        type: 'tool-get_weather',
        state: 'output-available',
        input: { city: 'Oslo' },
        output: { city: 'Oslo', celsius: 4 },
      },
      { type: 'step-start' },
      { type: 'text', text: 'It is cold.', state: 'done' },
    ]);
  });

  test('has the parts of the protocol, in its order', async () => {
    const emulator = await start();
    emulator.script(anthropic.protocol, twoSteps);
    const running = ask(emulator, anthropic, { messages: [user('Oslo?')], tools: [weather] });
    const lines = payloads(await running.toResponse({ format: 'ui' }).text());
    expect(lines.at(-1)).toBe('[DONE]');
    const types = lines.slice(0, -1).map((line) => (JSON.parse(line) as Line).type);
    expect(types.filter((type, index) => type !== types[index - 1])).toEqual([
      ...['start', 'start-step'],
      ...['reasoning-start', 'reasoning-delta', 'reasoning-end'],
      ...['text-start', 'text-delta', 'text-end'],
      ...['tool-input-start', 'tool-input-delta', 'tool-input-available', 'tool-output-available', 'finish-step'],
      ...['start-step', 'text-start', 'text-delta', 'text-end', 'finish-step', 'finish'],
    ]);
  });

  test.each([true, false])('an image is a file, also where nothing else is said: stream %s', async (stream) => {
    const emulator = await start();
    emulator.script(google.protocol, { blocks: [{ type: 'image', data: 'iVBORw0KGgo=' }] });
    const running = ask(emulator, google, { messages: [user('Draw')], stream, params: { modalities: ['image'] } });
    const message = await readAsClient(running.toResponse({ format: 'ui' }));
    expect(message?.parts).toEqual([
      { type: 'step-start' },
      { type: 'file', mediaType: 'image/png', url: 'data:image/png;base64,iVBORw0KGgo=' },
    ]);
  });

  test('sources reach the client, each of them once', async () => {
    const emulator = await start();
    const citation = (url: string, more = {}) => ({
      ...{ type: 'web_search_result_location', url, cited_text: 'cold', encrypted_index: 'e', ...more },
    });
    const text = (citations: object[]) => ({ type: 'text', text: 'Cold.', citations });
    const [a, b] = ['https://a.example/', 'https://b.example/'];
    const body = JSON.stringify({
      ...{ id: 'msg_1', type: 'message', role: 'assistant', model: anthropic.model, stop_reason: 'end_turn' },
      content: [text([citation(a, { title: 'A' }), citation(b)]), text([citation(a, { title: 'A' })])],
      usage: { input_tokens: 1, output_tokens: 1 },
    });
    emulator.script(anthropic.protocol, { raw: { status: 200, headers: {}, body } });
    const running = ask(emulator, anthropic, { messages: [user('Oslo?')], stream: false });
    const message = await readAsClient(running.toResponse({ format: 'ui' }));
    expect(message!.parts.filter(({ type }) => type === 'source-url')).toEqual([
      { type: 'source-url', sourceId: a, url: a, title: 'A' },
      { type: 'source-url', sourceId: b, url: b },
    ]);
  });

  test('keeps large integers and arguments with line ends whole', async () => {
    const emulator = await start();
    const input = '{\n  "id": 12345678901234567890\n}';
    emulator.script(anthropic.protocol, [{ blocks: [{ type: 'tool-use', name: 'look', input }] }, says('Ok.')]);
    const look = tool({ name: 'look', execute: () => ({ id: 12345678901234567891n }) });
    const text = await ask(emulator, anthropic, { messages: [user('Hi')], tools: [look] })
      .toResponse({ format: 'ui' })
      .text();
    expect(text).toMatch(/"input":\{ *"id": 12345678901234567890 *\}/);
    expect(text).toContain('"output":{"id":12345678901234567891}');
  });

  test('asks for approval, and tells the result of an approved call to a new reader', async () => {
    const emulator = await start();
    emulator.script(chat.protocol, [
      { blocks: [{ type: 'tool-use', name: 'drop', input: { all: true } }] },
      says('Ok.'),
    ]);
    const drop = tool({ name: 'drop', needsApproval: true, execute: () => 'dropped' });
    const first = ask(emulator, chat, { messages: [user('Drop')], tools: [drop] });
    const asked = await readAsClient(first.toResponse({ format: 'ui' }));
    expect(asked!.parts).toMatchObject([{}, { type: 'tool-drop', state: 'approval-requested', input: { all: true } }]);
    const { messages, pending } = await first.result;
    const approvals = { [pending[0]!.id]: 'approve' as const };
    const next = ask(emulator, chat, { messages: [user('Drop'), ...messages], tools: [drop], approvals });
    const done = await readAsClient(next.toResponse({ format: 'ui' }));
    expect(done!.parts).toMatchObject([
      { type: 'tool-drop', state: 'output-available', input: { all: true }, output: 'dropped' },
      { type: 'step-start' },
      { type: 'text', text: 'Ok.' },
    ]);
  });

  test('a failed run reaches the client as an error', async () => {
    const emulator = await start();
    emulator.script(chat.protocol, [says('Half an answer', { streamError: { afterEvents: 3 }, pieces: 3 })]);
    const errors: unknown[] = [];
    const running = ask(emulator, chat, { messages: [user('Hi')], retry: false });
    await readAsClient(running.toResponse({ format: 'ui' }), (error) => errors.push(error));
    expect(errors).toHaveLength(1);
  });
});
