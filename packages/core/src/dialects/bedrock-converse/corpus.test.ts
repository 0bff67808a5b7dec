import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { canonical, isObject, textAt } from '../../json/index.ts';
import { toolResult, user } from '../../message/index.ts';
import { writeRequest } from '../write/write-request.ts';
import { awsEventStream, DAMAGED } from './event-stream.ts';
import { bedrockConverse } from './index.ts';

const corpus = process.env.SKEIN_CORPUS ?? fileURLToPath(new URL('../../../../../../shared/corpus', import.meta.url));
const folder = `${corpus}/bedrock-converse`;
const d = bedrockConverse;

interface Turn {
  readonly path: string;
  readonly requestText?: string;
  readonly request: unknown;
  readonly response: unknown;
  readonly responseText?: string;
  readonly eventstreamBase64?: string;
}

const files = existsSync(folder) ? readdirSync(folder) : [];
const turns = files.flatMap((name) => {
  const recording = JSON.parse(readFileSync(`${folder}/${name}`, 'utf8')) as { turns: Turn[] };
  return recording.turns.map((turn) => ({ name, turn, model: decodeURIComponent(turn.path.split('/')[2]!) }));
});

type Event = readonly [event: string | undefined, data: string];

function eventsIn(chunks: readonly Uint8Array[]): Event[] {
  const events: Event[] = [];
  const decoder = awsEventStream.split((event, data) => events.push([event, data]));
  for (const chunk of chunks) decoder.push(chunk);
  decoder.end();
  return events;
}

/** Assembles a message the plain way. */
function naive(events: readonly Event[]) {
  const blocks: Record<string, unknown>[] = [];
  const envelope: Record<string, unknown> = { output: { message: null } };
  for (const [event, data] of events) {
    const { contentBlockIndex: at, delta, start, p: _, ...rest } = JSON.parse(data);
    if (event === 'messageStop' || event === 'metadata') Object.assign(envelope, rest);
    if (event === 'contentBlockStart') blocks[at] = { toolUse: { ...start.toolUse, input: '' } };
    if (event !== 'contentBlockDelta') continue;
    blocks[at] ??= 'text' in delta ? { text: '' } : { reasoningContent: { reasoningText: { text: '' } } };
    // biome-ignore lint/suspicious/noExplicitAny: recorded JSON
    const block = blocks[at] as any;
    if ('text' in delta) block.text += delta.text;
    if (delta.toolUse) block.toolUse.input += delta.toolUse.input;
    const { text, signature } = delta.reasoningContent ?? {};
    if (text !== undefined) block.reasoningContent.reasoningText.text += text;
    if (signature !== undefined) block.reasoningContent.reasoningText.signature = signature;
  }
  for (const block of blocks)
    if (isObject(block.toolUse)) block.toolUse = { ...block.toolUse, input: JSON.parse(String(block.toolUse.input)) };
  return { message: { role: 'assistant', content: blocks }, envelope };
}

describe.skipIf(turns.length === 0)('recorded traffic', () => {
  test('replies come apart and together without a change, and are sent back in their text', () => {
    const replies = turns.filter(({ turn }) => turn.response !== null && turn.response !== undefined);
    let verbatim = 0;
    for (const { name, turn, model } of replies) {
      const body = turn.responseText ?? JSON.stringify(turn.response);
      const { message, envelope, stop, usage } = d.readResponse(body, { model });
      expect(message.raw, name).toBe(textAt(body, ['output', 'message']));
      expect({ ...JSON.parse(envelope), output: { message: JSON.parse(message.raw) } }, name).toEqual(JSON.parse(body));
      expect(stop.reason, name).not.toBe('unknown');
      expect(usage?.output, name).toBeGreaterThan(0);
      const answers = message.toolUses.map(({ id }) => toolResult(id, 'the answer'));
      const sent = writeRequest(d, {
        model,
        messages: [user('Hello'), message, ...(answers.length > 0 ? answers : [user('Go on')])],
      });
      if (sent.body.includes(message.raw)) verbatim++;
      else
        expect(
          sent.losses.filter(({ message }) => message === 1),
          name,
        ).not.toEqual([]);
    }
    console.log(`bedrock-converse: ${replies.length} replies, ${verbatim} sent back verbatim`);
    expect(verbatim).toBe(replies.length);
  });

  test('streams become the message that their events describe, however their bytes are cut', () => {
    const streams = turns.flatMap(({ name, turn }) =>
      turn.eventstreamBase64 ? [{ name, text: turn.eventstreamBase64 }] : [],
    );
    let frames = 0;
    for (const { name, text } of streams) {
      const bytes = new Uint8Array(Buffer.from(text, 'base64'));
      const events = eventsIn([bytes]);
      frames += events.length;
      expect(
        events.map(([event]) => event),
        name,
      ).not.toContain(DAMAGED);
      const reader = d.readStream();
      const said = events.flatMap(([event, data]) => reader.push(event, data));
      expect(
        said.filter(({ type }) => type === 'unknown'),
        name,
      ).toEqual([]);
      const reply = reader.finish();
      const expected = naive(events);
      expect(JSON.parse(reply.message.raw), name).toEqual(expected.message);
      expect(JSON.parse(reply.envelope), name).toEqual(expected.envelope);
      expect(reply.message.origin.cut, name).toBeUndefined();
      const told = said.map((event) => (event.type === 'text' ? event.text : '')).join('');
      expect(reply.message.text, name).toBe(told);
      expect(eventsIn(Array.from(bytes, (_, at) => bytes.subarray(at, at + 1))), name).toEqual(events);
      for (let cut = 0; cut < bytes.length; cut += 61)
        expect(eventsIn([bytes.subarray(0, cut), bytes.subarray(cut)]).length, name).toBe(events.length);
    }
    console.log(`bedrock-converse: ${streams.length} streams, ${frames} frames with both checksums`);
    expect(frames).toBeGreaterThan(100);
  });

  test('requests are written again as they were', () => {
    const requests = turns.filter(({ turn }) => isObject(turn.request));
    let messages = 0;
    for (const { name, turn, model } of requests) {
      const body = turn.requestText ?? JSON.stringify(turn.request);
      const parts = d.readRequest(body);
      messages += parts.messages.length;
      const sent = writeRequest(d, {
        ...{ model, messages: parts.messages, tools: parts.tools, params: parts.params },
        ...(parts.system && { system: parts.system }),
        extra: `{${Object.entries(parts.rest)
          .map(([key, text]) => `${JSON.stringify(key)}:${text}`)
          .join(',')}}`,
      });
      for (const { raw } of parts.messages) expect(sent.body, name).toContain(raw);
      const known = sent.losses.filter(({ reason }) => reason !== 'cache-marker' && reason !== 'merged');
      expect(known, name).toEqual([]);
      if (!body.includes('cachePoint')) expect(canonical(sent.body), name).toBe(canonical(body));
    }
    console.log(`bedrock-converse: ${requests.length} requests with ${messages} messages`);
  });
});
