import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { isObject, type JsonObject, parseJson } from '../../json/index.ts';
import { makeDialect } from '../dialect.ts';
import { decodeSse } from '../sse.ts';
import { openaiResponsesSpec } from './index.ts';

const shared = fileURLToPath(new URL('../../../../../../shared/corpus', import.meta.url));
const folder = join(process.env.SKEIN_CORPUS ?? shared, 'openai-responses');
const dialect = makeDialect(openaiResponsesSpec);

interface Turn {
  readonly request?: unknown;
  readonly requestText?: string;
  readonly response?: unknown;
  readonly responseText?: string;
  readonly sse?: string | null;
}

type Event = readonly [event: string | undefined, data: string];

function recordings(): { name: string; turns: Turn[] }[] {
  return readdirSync(folder)
    .filter((name) => name.endsWith('.json'))
    .map((name) => ({ name, turns: JSON.parse(readFileSync(join(folder, name), 'utf8')).turns as Turn[] }));
}

/** Some recordings hold several responses one after the other. */
function streamsOf(sse: string): Event[][] {
  const streams: Event[][] = [];
  const decoder = decodeSse((event, data) => {
    if (streams.length === 0 || /"type":\s*"response\.created"/.test(data)) streams.push([]);
    streams.at(-1)!.push([event, data]);
  });
  decoder.push(sse);
  decoder.end();
  return streams;
}

function assembled(events: readonly Event[]) {
  const reader = dialect.readStream();
  const said = events.flatMap(([event, data]) => [...reader.push(event, data)]);
  return { said, reply: reader.finish() };
}

const dataOf = (events: readonly Event[]): JsonObject[] => events.map(([, data]) => JSON.parse(data) as JsonObject);

function itemsIn(raws: readonly string[]): unknown[] {
  return raws.flatMap((raw) => parseJson(raw));
}

describe.skipIf(!existsSync(folder))('recorded Responses traffic', () => {
  const all = existsSync(folder) ? recordings() : [];
  const turns = all.flatMap(({ name, turns }) => turns.map((turn, index) => ({ ...turn, at: `${name} ${index}` })));
  const streams = turns.flatMap((turn) =>
    turn.sse ? streamsOf(turn.sse).map((events) => ({ at: turn.at, events })) : [],
  );

  it('reads every response whole', () => {
    let count = 0;
    for (const turn of turns) {
      if (!isObject(turn.response)) continue;
      const body = turn.responseText ?? JSON.stringify(turn.response);
      const whole = parseJson(body) as JsonObject;
      const { message, envelope, stop } = dialect.readResponse(body);
      expect(itemsIn([message.raw]), turn.at).toEqual(whole.output);
      expect({ ...(parseJson(envelope) as JsonObject), output: whole.output }, turn.at).toEqual(whole);
      expect(message.role).toBe('assistant');
      expect(message.content.length, turn.at).toBeGreaterThanOrEqual((whole.output as unknown[]).length);
      if (whole.status === 'completed') expect(['end', 'tool-use'], turn.at).toContain(stop.reason);
      count++;
    }
    console.log(`openai-responses: ${count} responses, ${streams.length} streams in ${all.length} recordings`);
    expect(count).toBeGreaterThan(100);
  });

  it('puts every stream together from its terminal event', () => {
    for (const { at, events } of streams) {
      const { reply, said } = assembled(events);
      const last = dataOf(events).findLast((event) => event.type === 'response.completed')!.response as JsonObject;
      expect(itemsIn([reply.message.raw]), at).toEqual(last.output);
      expect(reply.message.origin.cut, at).toBeUndefined();
      expect({ ...(parseJson(reply.envelope) as JsonObject), output: 0 }, at).toMatchObject({ ...last, output: 0 });
      expect(
        said.filter((event) => event.type === 'unknown' || event.type === 'error'),
        at,
      ).toEqual([]);
      const text = said.map((event) => (event.type === 'text' ? event.text : '')).join('');
      expect(text, at).toBe(reply.message.text);
      const calls = said.filter((event) => event.type === 'tool-use').map(({ id, name }) => ({ id, name }));
      expect(calls, at).toEqual(reply.message.facts.calls);
    }
  });

  it('shows the same when only the deltas came', () => {
    for (const { at, events } of streams) {
      const whole = assembled(events).reply.message;
      const partial = events.filter(([, data]) => !/"type":\s*"response\.(?:output_item\.done|completed)"/.test(data));
      const { message } = assembled(partial).reply;
      expect(message.text, at).toBe(whole.text);
      expect(message.toolUses, at).toEqual(whole.toolUses);
      const reasoning = (from: typeof message) =>
        from.content.flatMap((block) => (block.type === 'reasoning' ? block.text : []));
      expect(reasoning(message), at).toEqual(reasoning(whole));
    }
  });

  it('keeps what arrived wherever a stream is cut', () => {
    for (const { events } of streams) {
      for (let end = 0; end < events.length; end += Math.max(1, Math.floor(events.length / 12))) {
        const { reply } = assembled(events.slice(0, end));
        expect(reply.stop.reason).toBe('cut');
        expect(Array.isArray(parseJson(reply.message.raw))).toBe(true);
        expect(isObject(parseJson(reply.envelope))).toBe(true);
        void reply.message.content;
      }
    }
  });

  it('reads every request without losing an item', () => {
    for (const { request, requestText, at } of turns) {
      if (!isObject(request)) continue;
      const { messages, system, rest, tools } = dialect.readRequest(requestText ?? JSON.stringify(request));
      const input =
        typeof request.input === 'string' ? [{ role: 'user', content: request.input }] : (request.input ?? []);
      expect(itemsIn(messages.map(({ raw }) => raw)), at).toEqual(input);
      expect(system?.text, at).toBe(request.instructions ?? undefined);
      expect(tools.length, at).toBe(Array.isArray(request.tools) ? request.tools.length : 0);
      for (const name of ['previous_response_id', 'conversation', 'include'])
        expect(rest[name], at).toBe(request[name] === undefined ? undefined : JSON.stringify(request[name]));
      for (const message of messages) expect(message.role, at).not.toBe(undefined);
    }
  });
});
