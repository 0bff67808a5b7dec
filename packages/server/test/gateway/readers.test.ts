import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type ReplyBlock, startEmulator } from '@skein/emulator';
import { describe, expect, onTestFinished, test } from 'vitest';
import type { Json } from './answer.ts';
import { CLIENT_PROTOCOLS, type ClientProtocol, READERS } from './readers.ts';

const FOLDER = process.env.SKEIN_CORPUS ?? fileURLToPath(new URL('../../../../../shared/corpus', import.meta.url));
const VENDORS: Readonly<Record<ClientProtocol, string>> = {
  'openai-chat': 'openai',
  'openai-responses': 'openai',
  'anthropic-messages': 'anthropic',
  'google-generatecontent': 'google',
};

/** Recordings that are not one answer as the API gives it today. */
const NOT_TODAY: Readonly<Record<string, string>> = {
  'openai_responses_stream.json': 'recorded before events had numbers',
  'openai_previous_response_id_auto_mode.json': 'shortened by hand',
  background_mode: 'asked for while it was not at its end',
  'programmatic-tool-calling': 'several steps of a program as one',
  'multiple_agent_tool_calls.google.json': 'recorded before answers had ids',
  'openai_moderation_stream.json': 'has a chunk of a beta behind its usage',
};

interface Recorded {
  readonly name: string;
  readonly isStream: boolean;
  readonly body: string;
  readonly includeUsage: boolean;
}

/** What the vendor itself answered. */
function recorded(protocol: ClientProtocol): Recorded[] {
  const folder = join(FOLDER, protocol);
  if (!existsSync(folder)) return [];
  return readdirSync(folder).flatMap((file) => {
    const { provider, provenance, turns } = JSON.parse(readFileSync(join(folder, file), 'utf8'));
    if (provider !== VENDORS[protocol] || provenance !== 'recorded') return [];
    if (Object.keys(NOT_TODAY).some((name) => file.includes(name))) return [];
    return turns
      .filter(({ status, path = '' }: Json) => status === 200 && !/compact$|count/.test(path))
      .flatMap(({ response, sse, request }: Json, index: number) =>
        (sse === null ? [JSON.stringify(response)] : splitStreams(sse)).map((body) => ({
          name: `${file}#${index}`,
          isStream: sse !== null,
          body,
          includeUsage: request ? request.stream_options?.include_usage === true : body.includes('"usage":{'),
        })),
      );
  });
}

/** Some files hold the streams of several steps one after the other. */
const splitStreams = (text: string): string[] =>
  text.split(/(?=^event: (?:message_start|response\.created)\r?$)/m).filter((part) => part.includes('data:'));

describe.skipIf(!existsSync(FOLDER))('recordings (skipped where they are not beside the project)', () => {
  test.each(CLIENT_PROTOCOLS)('%s: what the vendor answered breaks no rule', (protocol) => {
    const all = recorded(protocol);
    console.log(`${protocol}: ${all.length} answers read`);
    const found = all.flatMap(({ name, isStream, body, includeUsage }) => {
      const reader = READERS[protocol];
      const { problems } = isStream ? reader.stream(body, { includeUsage }) : reader.whole(body);
      return problems.map((problem) => `${name}: ${problem}`);
    });
    expect(found).toEqual([]);
  });
});

const REPLY: readonly ReplyBlock[] = [
  { type: 'thinking', text: 'They want both, so I look up both.' },
  { type: 'text', text: 'One moment, I look that up for you.' },
  { type: 'tool-use', name: 'weather', input: { city: 'Lisbon' } },
  { type: 'tool-use', name: 'weather', input: { city: 'Porto' } },
];

const tool = { name: 'weather', description: 'The weather', parameters: { type: 'object', properties: {} } };
const ASKS: Readonly<Record<ClientProtocol, (stream: boolean) => readonly [path: string, body: object]>> = {
  'openai-chat': (stream) => [
    '/v1/chat/completions',
    {
      ...{
        model: 'gpt-5.2',
        messages: [{ role: 'user', content: 'Hi' }],
        tools: [{ type: 'function', function: tool }],
      },
      ...(stream && { stream, stream_options: { include_usage: true } }),
    },
  ],
  'openai-responses': (stream) => [
    '/v1/responses',
    { model: 'gpt-5.2', input: 'Hi', stream, tools: [{ type: 'function', ...tool, strict: false }] },
  ],
  'anthropic-messages': (stream) => [
    '/v1/messages',
    {
      ...{ model: 'claude-sonnet-4-5', max_tokens: 4000, stream, messages: [{ role: 'user', content: 'Hi' }] },
      thinking: { type: 'enabled', budget_tokens: 2000 },
      tools: [{ name: tool.name, input_schema: tool.parameters }],
    },
  ],
  'google-generatecontent': (stream) => [
    `/v1beta/models/gemini-3-pro-preview:${stream ? 'streamGenerateContent?alt=sse' : 'generateContent'}`,
    {
      contents: [{ role: 'user', parts: [{ text: 'Hi' }] }],
      tools: [{ functionDeclarations: [{ name: tool.name, description: tool.description }] }],
      generationConfig: { thinkingConfig: { includeThoughts: true } },
    },
  ],
};

/** An answer of the emulator, which writes as the vendors do and shares no code with the gateway. */
async function answerOf(protocol: ClientProtocol, stream: boolean): Promise<string> {
  const emulator = await startEmulator({ seed: 'readers', sleep: async () => {} });
  onTestFinished(() => emulator.close());
  emulator.script(protocol, { blocks: REPLY });
  const [path, body] = ASKS[protocol](stream);
  const key = { authorization: 'Bearer k', 'x-api-key': 'k', 'x-goog-api-key': 'k', 'anthropic-version': '2023-06-01' };
  const headers = { 'content-type': 'application/json', ...key };
  const answer = await fetch(emulator.url + path, { method: 'POST', headers, body: JSON.stringify(body) });
  expect(answer.status, await answer.clone().text()).toBe(200);
  return answer.text();
}

const read = (protocol: ClientProtocol, stream: boolean, body: string) =>
  stream ? READERS[protocol].stream(body, { includeUsage: true }) : READERS[protocol].whole(body);

/** Faults that each reader must find: what is replaced in an answer. */
const FAULTS: Readonly<
  Record<ClientProtocol, Readonly<Record<'both' | 'whole' | 'stream', readonly (readonly [RegExp, string])[]>>>
> = {
  'openai-chat': {
    both: [
      [/chatcmpl-/g, 'resp_'],
      [/"created":\d+/, '"created":"now"'],
      [/"finish_reason":"tool_calls"/, '"finish_reason":"tool_use"'],
      [/"total_tokens":/, '"total_tokens":1'],
      [/"prompt_tokens_details":\{[^}]*\},?/, ''],
    ],
    whole: [
      [/"object":"chat.completion"/, '"object":"completion"'],
      [/"refusal":null,?/, ''],
      [/"arguments":"(?:[^"\\]|\\.)*"/, '"arguments":{}'],
    ],
    stream: [
      [/data: \[DONE\]/, ''],
      [/"role":"assistant",?/, ''],
      [/"index":1,"id"/, '"index":2,"id"'],
    ],
  },
  'openai-responses': {
    both: [
      [/"id":"resp_[^"]*"/, '"id":"chatcmpl-1"'],
      [/"parallel_tool_calls":(true|false),?/, ''],
      [/"total_tokens":/, '"total_tokens":1'],
      [/"id":"fc_/, '"id":"call_'],
      [/"annotations":\[\],?/g, ''],
    ],
    whole: [[/"incomplete_details":null/, '"incomplete_details":{"reason":"max_output_tokens"}']],
    stream: [
      [/"sequence_number":3,/, '"sequence_number":4,'],
      [/event: response.output_item.done/, 'event: response.output_item'],
      [/"type":"response.output_text.done"([^\n]*)"text":"O/, '"type":"response.output_text.done"$1"text":"o'],
    ],
  },
  'anthropic-messages': {
    both: [
      [/"id":"msg_/, '"id":"chatcmpl-'],
      [/"role":"assistant",?/, ''],
      [/"stop_sequence":null,?/, ''],
      [/"stop_reason":"tool_use"/, '"stop_reason":"end_turn"'],
      [/toolu_/, 'call.'],
    ],
    whole: [
      [/"signature":"[^"]*"/, '"signature":""'],
      [/"input":\{[^}]*\}/, '"input":"{}"'],
      [/"cache_read_input_tokens":\d+,?/, ''],
    ],
    stream: [
      [/"index":1,/, '"index":2,'],
      [/event: content_block_stop/, 'event: content_block_end'],
      [/"type":"signature_delta","signature":"[^"]*"/, '"type":"signature_delta","signature":""'],
    ],
  },
  'google-generatecontent': {
    both: [
      [/"role":"model"/, '"role":"assistant"'],
      [/"totalTokenCount":/g, '"totalTokenCount":1'],
      [/"finishReason":"STOP"/, '"finishReason":"stop"'],
      [/"thoughtSignature":"/, '"thoughtSignature":"_-'],
    ],
    whole: [[/"responseId":"[^"]*",?/, '']],
    stream: [[/"responseId":"/, '"responseId":"x']],
  },
};

/** Streams in which one event is missing, or two neighbours have changed places. */
function brokenStreams(body: string): string[] {
  const events = body.split(/(?<=\n\r?\n)/).filter((text) => text.includes('data:'));
  return events.flatMap((event, at) => {
    const without = events.toSpliced(at, 1).join('');
    const swapped = events.toSpliced(at, 2, events[at + 1] ?? '', event).join('');
    const isFree =
      /"ping"|"(text_delta|thinking_delta|partial_json)"|"(reasoning_content|content|arguments)":"[^"]/.test(event);
    return isFree || at === events.length - 1 ? [] : [without, ...(/"ping"/.test(events[at + 1]!) ? [] : [swapped])];
  });
}

describe.each(CLIENT_PROTOCOLS.flatMap((protocol) => [false, true].map((stream) => ({ protocol, stream }))))(
  '$protocol, stream: $stream',
  ({ protocol, stream }) => {
    test('a good answer is read, and each planted fault is found', async () => {
      const body = await answerOf(protocol, stream);
      const { problems, parts } = read(protocol, stream, body);
      expect(problems).toEqual([]);
      expect(parts.filter(({ kind }) => kind === 'call')).toHaveLength(2);
      const { both, whole, stream: streamed } = FAULTS[protocol];
      for (const [what, by] of [...both, ...(stream ? streamed : whole)]) {
        expect(body, `${what} is there to be replaced`).toMatch(what);
        expect(read(protocol, stream, body.replace(what, by)).problems, `${what} → ${by}`).not.toEqual([]);
      }
    });
  },
);

/** Google's chunks depend on nothing before them. */
test.each(['openai-chat', 'openai-responses', 'anthropic-messages'] as const)(
  '%s: no event of a stream may be missing or come late',
  async (protocol) => {
    const broken = brokenStreams(await answerOf(protocol, true));
    expect(broken.length).toBeGreaterThan(3);
    for (const body of broken) expect(read(protocol, true, body).problems, body).not.toEqual([]);
  },
);
