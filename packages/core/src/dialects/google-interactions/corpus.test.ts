import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { find, isObject, type JsonObject, parseJson, splice } from '../../json/index.ts';
import { user } from '../../message/index.ts';
import { readBlocks } from '../block-events.ts';
import { decodeSse } from '../sse.ts';
import { writeRequest } from '../write/write-request.ts';
import { googleInteractions as dialect } from './index.ts';
import { serve } from './serve.ts';

const shared = fileURLToPath(new URL('../../../../../../shared/corpus', import.meta.url));
const folder = join(process.env.SKEIN_CORPUS ?? shared, 'google-interactions');

interface Recording {
  readonly name: string;
  readonly responseText?: string | undefined;
  readonly sse?: string | null | undefined;
}

function recordings(): Recording[] {
  return readdirSync(folder).flatMap((name) => {
    const { turns } = JSON.parse(readFileSync(join(folder, name), 'utf8')) as { turns: Omit<Recording, 'name'>[] };
    return turns.map(({ responseText, sse }) => ({ name, responseText, sse }));
  });
}

function readSse(chunks: readonly (string | Uint8Array)[]) {
  const reader = readBlocks(dialect);
  const events: JsonObject[] = [];
  const told: JsonObject[] = [];
  const decoder = decodeSse((event, data) => {
    events.push(JSON.parse(data));
    told.push(...(reader.push(event, data) as unknown as JsonObject[]));
  });
  for (const chunk of chunks) decoder.push(chunk);
  decoder.end();
  const { reply, events: last } = reader.finish();
  return { events, told: [...told, ...(last as unknown as JsonObject[])], reply };
}

/** The steps as a client would put them together that only knows what the recordings have. */
function expectedSteps(events: readonly JsonObject[]): unknown[] {
  const steps = new Map<unknown, Record<string, unknown>>();
  for (const { event_type: type, index, step, delta } of events) {
    if (type === 'step.start') steps.set(index, { ...(step as JsonObject) });
    if (type !== 'step.delta' || !isObject(delta)) continue;
    const target = steps.get(index)!;
    const { type: kind, ...members } = delta;
    const content = (target.content ?? []) as Record<string, unknown>[];
    if (kind === 'text') {
      if (content.length === 0) target.content = content;
      if (content.length === 0) content.push({ type: 'text', text: '' });
      content[0]!.text = `${content[0]!.text}${members.text}`;
    } else if (kind === 'text_annotation_delta') content[0]!.annotations = members.annotations;
    else Object.assign(target, members);
  }
  return [...steps.values()];
}

describe.skipIf(!existsSync(folder))('recorded Interactions traffic', () => {
  const all = existsSync(folder) ? recordings() : [];
  const bodies = all.flatMap(({ name, responseText }) => (responseText ? [{ name, body: responseText }] : []));
  const streams = all.flatMap(({ name, sse }) => (sse ? [{ name, sse }] : []));

  it('reads every interaction whole, and writes it back byte for byte', () => {
    for (const { name, body } of bodies) {
      const { message, envelope, stop, usage } = dialect.readResponse(body);
      const whole = parseJson(body) as JsonObject;
      expect(parseJson(message.raw), name).toEqual(whole.steps);
      expect({ ...(parseJson(envelope) as JsonObject), steps: whole.steps }, name).toEqual(whole);
      expect(['end', 'tool-use'], name).toContain(stop.reason);
      const { native: _, ...counts } = usage!;
      const total = Object.values(counts).reduce((sum, count) => sum + count, 0);
      expect(total, name).toBe((whole.usage as JsonObject).total_tokens);
      // The next request has each step in its exact text.
      const calls = message.toolUses.map(({ id }) => `{"type":"function_result","call_id":"${id}","result":"8"}`);
      const results = calls.map((raw) => dialect.parseMessage(raw));
      const { body: next, losses } = writeRequest(dialect, {
        model: 'gemini-2.5-flash',
        messages: [user('Hello'), message, ...results, user('Go on')],
      });
      expect(losses, name).toEqual([]);
      const sent = find(next, ['input'])!;
      for (const step of whole.steps as unknown[])
        expect(parseJson(next.slice(sent.start, sent.end)), name).toContainEqual(step);
      expect(next.includes(message.raw.slice(1, -1)), name).toBe(true);
      expect(dialect.readRequest(next).messages.map(({ raw }) => raw)).toContain(message.raw);
      const written = serve.writeReply!({ id: 'v1_x', model: 'm', created: 1, ...dialect.readResponse(body) });
      const steps = find(written.body, ['steps'])!;
      expect(written.losses, name).toEqual([]);
      expect(written.body.slice(steps.start, steps.end), name).toBe(message.raw);
      const range = find(envelope, ['steps'])!;
      expect(parseJson(splice(envelope, [{ ...range, text: message.raw }])), name).toEqual(whole);
    }
    console.log(`google-interactions: ${bodies.length} responses, ${streams.length} streams`);
    expect(bodies.length + streams.length).toBe(9);
  });

  it('puts every stream together, in the order in which its steps began', () => {
    for (const { name, sse } of streams) {
      const { events, told, reply } = readSse([sse]);
      expect(parseJson(reply.message.raw), name).toEqual(expectedSteps(events));
      const { interaction } = events.at(-1)! as { interaction: JsonObject };
      expect(parseJson(reply.envelope), name).toEqual({ ...interaction, steps: null });
      expect(reply.stop, name).toEqual({ reason: 'end', native: 'completed' });
      expect(
        told.filter(({ type }) => type === 'unknown' || type === 'error'),
        name,
      ).toEqual([]);
      const text = told.map((event) => (event.type === 'text' ? event.text : '')).join('');
      expect(text, name).toBe(reply.message.text);
      const ends = told.filter(({ type }) => type === 'block-end');
      expect(
        ends.map(({ block }) => block),
        name,
      ).toEqual(reply.message.content);
    }
  });

  it('reads every stream the same at every boundary of its chunks', () => {
    for (const { name, sse } of streams) {
      const bytes = new TextEncoder().encode(sse);
      const { raw } = readSse([sse]).reply.message;
      const step = Math.max(1, Math.floor(bytes.length / 200));
      for (let at = 0; at < bytes.length; at += step)
        expect(readSse([bytes.subarray(0, at), bytes.subarray(at)]).reply.message.raw, `${name} ${at}`).toBe(raw);
      const single = Array.from({ length: Math.min(bytes.length, 20_000) }, (_, at) => bytes.subarray(at, at + 1));
      expect(readSse([...single, bytes.subarray(single.length)]).reply.message.raw, name).toBe(raw);
    }
  });

  it('keeps what arrived wherever a stream is cut, and can go on', () => {
    for (const { name, sse } of streams) {
      const events = sse.split('\n\n').filter((event) => event !== '');
      for (let end = 0; end < events.length; end++) {
        const { reply } = readSse([`${events.slice(0, end).join('\n\n')}\n\n`]);
        expect(reply.stop.reason, name).toBe('cut');
        expect(Array.isArray(parseJson(reply.message.raw)), name).toBe(true);
        const messages = [user('Hello'), reply.message, user('Go on')];
        const { body } = writeRequest(dialect, { model: 'm', messages });
        expect(body, name).not.toContain('"signature":""');
      }
    }
  });
});
