/** What the tests of the running emulator share. */
import { crc32 } from 'node:zlib';
import { onTestFinished } from 'vitest';
import { type Emulator, type EmulatorOptions, type Protocol, startEmulator } from '../src/index.ts';

/** All waits of the emulators of a test, in milliseconds; none of them is waited for. */
export const waits: number[] = [];

export async function start(options: EmulatorOptions = {}): Promise<Emulator> {
  waits.length = 0;
  const sleep = async (milliseconds: number) => {
    waits.push(milliseconds);
  };
  const emulator = await startEmulator({ sleep, now: () => Date.UTC(2026, 10, 2), ...options });
  onTestFinished(() => emulator.close());
  return emulator;
}

export const paths: Readonly<Record<Protocol, string>> = {
  'anthropic-messages': '/v1/messages',
  'openai-chat': '/v1/chat/completions',
  'openai-responses': '/v1/responses',
  'google-generatecontent': '/v1beta/models/gemini-3-pro-preview:generateContent',
  'bedrock-converse': '/model/us.anthropic.claude-opus-4-8/converse',
  'cohere-chat': '/v2/chat',
  'google-interactions': '/v1beta/interactions',
};

export const keys: Readonly<Record<Protocol, Record<string, string>>> = {
  'anthropic-messages': { 'x-api-key': 'k', 'anthropic-version': '2023-06-01' },
  'openai-chat': { authorization: 'Bearer k' },
  'openai-responses': { authorization: 'Bearer k' },
  'google-generatecontent': { 'x-goog-api-key': 'k' },
  'bedrock-converse': { authorization: 'Bearer k' },
  'cohere-chat': { authorization: 'Bearer k' },
  'google-interactions': { 'x-goog-api-key': 'k' },
};

/** The smallest request of each protocol. */
export const hello: Readonly<Record<Protocol, object>> = {
  'anthropic-messages': {
    model: 'claude-opus-5-5',
    max_tokens: 100,
    messages: [{ role: 'user', content: 'Hello' }],
  },
  'openai-chat': { model: 'gpt-4o', messages: [{ role: 'user', content: 'Hello' }] },
  'openai-responses': { model: 'gpt-5.5', input: 'Hello' },
  'google-generatecontent': { contents: [{ role: 'user', parts: [{ text: 'Hello' }] }] },
  'bedrock-converse': { messages: [{ role: 'user', content: [{ text: 'Hello' }] }] },
  'cohere-chat': { model: 'command-a-03-2025', messages: [{ role: 'user', content: 'Hello' }] },
  'google-interactions': { model: 'gemini-3.6-flash', input: 'Hello' },
};

export interface Sent {
  readonly path?: string;
  readonly headers?: Record<string, string>;
  readonly signal?: AbortSignal;
}

export const post = (emulator: Emulator, protocol: Protocol, body: object | string, sent: Sent = {}) =>
  fetch(emulator.url + (sent.path ?? paths[protocol]), {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...keys[protocol], ...sent.headers },
    body: typeof body === 'string' ? body : JSON.stringify(body),
    ...(sent.signal && { signal: sent.signal }),
  });

/** A body to look into: every step may lead nowhere. */
export interface Body {
  readonly [name: string]: Body | undefined;
}

/** The answer's body and the rule that was broken, if one was. */
export async function ask(emulator: Emulator, protocol: Protocol, body: object | string, sent: Sent = {}) {
  const response = await post(emulator, protocol, body, sent);
  const answer = (await response.json()) as Body;
  return { status: response.status, answer, rule: emulator.log.at(-1)?.verdict.refusal?.rule };
}

const streamPath = paths['google-generatecontent'].replace(':generateContent', ':streamGenerateContent?alt=sse');

export const streamOf = async (emulator: Emulator, protocol: Protocol, body: object, sent: Sent = {}) => {
  if (protocol === 'google-generatecontent') return post(emulator, protocol, body, { path: streamPath, ...sent });
  if (protocol !== 'bedrock-converse') return post(emulator, protocol, { ...body, stream: true }, sent);
  const response = await post(emulator, protocol, body, { path: `${paths[protocol]}-stream`, ...sent });
  return response.ok ? asSse(response) : response;
};

/** The frames of an AWS event stream as server-sent events; throws where a checksum is wrong. */
async function asSse(response: Response): Promise<Response> {
  const bytes = Buffer.from(await response.arrayBuffer());
  let text = '';
  for (let at = 0; at < bytes.length; ) {
    const length = bytes.readUInt32BE(at);
    const headerEnd = at + 12 + bytes.readUInt32BE(at + 4);
    if (bytes.readUInt32BE(at + 8) !== crc32(bytes.subarray(at, at + 8))) throw new Error('wrong checksum of lengths');
    const end = at + length - 4;
    if (bytes.readUInt32BE(end) !== crc32(bytes.subarray(at, end))) throw new Error('wrong checksum');
    const [, event] = /-type.\0.([\w_]+)/s.exec(bytes.toString('latin1', at + 12, headerEnd)) ?? [];
    text += `event: ${event}\ndata: ${bytes.toString('utf8', headerEnd, end)}\n\n`;
    at += length;
  }
  return new Response(text, response);
}

/** The data of every event. */
export const eventsOf = (text: string): Body[] =>
  text
    .split(/\r?\n/)
    .filter((line) => line.startsWith('data: {'))
    .map((line) => JSON.parse(line.slice(6)));
