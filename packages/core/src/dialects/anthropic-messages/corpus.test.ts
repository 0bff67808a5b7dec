import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { isObject } from '../../json/index.ts';
import { makeDialect } from '../dialect.ts';
import { decodeSse } from '../sse.ts';
import { writeRequest } from '../write/write-request.ts';
import { anthropicMessagesSpec } from './index.ts';

const corpus = process.env.SKEIN_CORPUS ?? fileURLToPath(new URL('../../../../../../shared/corpus', import.meta.url));
const d = makeDialect(anthropicMessagesSpec);

interface Turn {
  readonly request: unknown;
  readonly response: unknown;
  readonly responseText?: string;
  readonly sse: string | null;
  readonly status: number;
}

const recordings = ['anthropic-messages', 'synthetic/anthropic-messages'].flatMap((folder) => {
  const path = `${corpus}/${folder}`;
  if (!existsSync(path)) return [];
  return readdirSync(path).map((file) => {
    const { turns } = JSON.parse(readFileSync(`${path}/${file}`, 'utf8')) as { turns: Turn[] };
    return { name: `${folder}/${file}`, turns };
  });
});
const turns = recordings.flatMap(({ name, turns }) =>
  turns.filter((turn) => turn.status === 200).map((turn) => ({ name, turn })),
);

describe.skipIf(turns.length === 0)('recorded traffic', () => {
  test('replies come apart and together without a change', () => {
    // The recordings hold token counts too, which are another protocol.
    const replies = turns.flatMap(({ name, turn }) =>
      isObject(turn.response) && 'content' in turn.response ? [{ name, turn, response: turn.response }] : [],
    );
    for (const { name, turn, response } of replies) {
      const body = turn.responseText ?? JSON.stringify(response);
      const reply = d.readResponse(body);
      const content = JSON.parse(reply.message.raw).content;
      expect(content, name).toEqual(response.content);
      expect({ ...JSON.parse(reply.envelope), content }, name).toEqual(response);
      expect(reply.stop.reason, name).not.toBe('unknown');
      expect(reply.message.content.length, name).toBe(content.length);
    }
    console.log(`anthropic-messages: ${replies.length} replies`);
  });

  test('streams become the message that their events describe', () => {
    const streams = turns.filter(({ turn }) => turn.sse !== null);
    for (const { name, turn } of streams) {
      const events = eventsOf(turn.sse!);
      // Several responses in one recording are not one reply.
      if (events.filter((event) => event.type === 'message_start').length > 1) continue;
      const reader = d.readStream();
      const said = { text: '', reasoning: '' };
      decodeInto(turn.sse!, (event, data) => {
        for (const part of reader.push(event, data)) {
          expect(part.type, name).not.toBe('unknown');
          if (part.type === 'text' || part.type === 'reasoning') said[part.type] += part.text;
        }
      });
      const reply = reader.finish();
      const expected = naive(events);
      expect(JSON.parse(reply.message.raw), name).toEqual({ role: 'assistant', content: expected.content });
      expect(JSON.parse(reply.envelope), name).toEqual({ ...expected, content: null });
      expect(reply.message.text, name).toBe(said.text);
      const thoughts = reply.message.content.map((block) => (block.type === 'reasoning' ? block.text : '')).join('');
      expect(thoughts, name).toBe(said.reasoning);
      expect(reply.message.origin.cut, name).toBeUndefined();
    }
    console.log(`anthropic-messages: ${streams.length} streams`);
  });

  test('requests are written again as they were', () => {
    let same = 0;
    const requests = turns.filter(({ turn }) => isObject(turn.request) && typeof turn.request.model === 'string');
    for (const { name, turn } of requests) {
      const parts = d.readRequest(JSON.stringify(turn.request));
      const { body, losses } = writeRequest(d, {
        model: parts.model!,
        messages: parts.messages,
        tools: parts.tools,
        params: parts.params,
        extra: `{${Object.entries(parts.rest)
          .map(([key, text]) => `${JSON.stringify(key)}:${text}`)
          .join(',')}}`,
        ...(parts.system && { system: [parts.system] }),
      });
      const changes = losses.map((loss) => `${loss.kind} ${loss.reason}`);
      if (changes.length === 0) {
        same++;
        expect(plain(JSON.parse(body)), name).toEqual(plain(turn.request));
      } else
        expect(
          changes.filter((change) => !EXPECTED.has(change)),
          name,
        ).toEqual([]);
    }
    console.log(`anthropic-messages: ${requests.length} requests, ${same} written without any change`);
    expect(same).toBeGreaterThan(requests.length * 0.8);
  });
});

/** What recorded clients do that this library does on purpose in another way. */
const EXPECTED = new Set(['rewritten cache-marker']);

/** `type: custom` is the default of a tool and is not written. */
function plain(request: unknown): unknown {
  if (!isObject(request) || !Array.isArray(request.tools)) return request;
  return {
    ...request,
    tools: request.tools.map((tool) => {
      const { type, ...rest } = tool as { type?: string };
      return type === 'custom' ? rest : tool;
    }),
  };
}

function decodeInto(sse: string, onEvent: (event: string | undefined, data: string) => void): void {
  const decoder = decodeSse(onEvent);
  decoder.push(sse);
  decoder.end();
}

interface Event {
  readonly type: string;
  readonly index: number;
  readonly message: { content: Block[]; usage: object };
  readonly content_block: Block;
  readonly delta: Readonly<Record<string, string>>;
  readonly usage: object;
}

type Block = Record<string, unknown>;

function eventsOf(sse: string): Event[] {
  const events: Event[] = [];
  decodeInto(sse, (_, data) => events.push(JSON.parse(data)));
  return events;
}

/** The obvious assembly by value, to compare with. */
function naive(events: readonly Event[]): { content: readonly Block[] } {
  const message = structuredClone(events[0]!.message);
  const json: string[] = [];
  for (const event of events) {
    const block = message.content[event.index] ?? {};
    const join = (name: string): string => `${block[name] ?? ''}${event.delta[name]}`;
    if (event.type === 'content_block_start') message.content[event.index] = structuredClone(event.content_block);
    else if (event.type === 'content_block_stop' && json[event.index]) block.input = JSON.parse(json[event.index]!);
    else if (event.type === 'content_block_delta') {
      const { type } = event.delta;
      if (type === 'text_delta') block.text = join('text');
      else if (type === 'thinking_delta') block.thinking = join('thinking');
      else if (type === 'signature_delta') block.signature = event.delta.signature;
      else if (type === 'compaction_delta') block.content = join('content');
      else if (type === 'citations_delta')
        block.citations = [...((block.citations as unknown[] | undefined) ?? []), event.delta.citation];
      else json[event.index] = (json[event.index] ?? '') + event.delta.partial_json;
    } else if (event.type === 'message_delta') {
      const { type: _, delta, usage, ...more } = event;
      Object.assign(message, delta, more);
      Object.assign(message.usage, usage);
    }
  }
  return message;
}
