import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { isObject, parseJson, textAt } from '../../json/index.ts';
import { makeDialect } from '../dialect.ts';
import { decodeSse } from '../sse.ts';
import { writeRequest } from '../write/write-request.ts';
import { googleGenerateContentSpec } from './index.ts';

interface Recording {
  readonly id: string;
  readonly model: string;
  readonly turns: readonly {
    readonly request: unknown;
    readonly response: unknown;
    readonly responseText?: string;
    readonly sse: string | null;
    readonly status: number;
  }[];
}

interface Candidate {
  readonly content?: { readonly parts?: readonly Record<string, unknown>[] };
}

const root = fileURLToPath(new URL('../../../../../', import.meta.url));
const folder = join(process.env.SKEIN_CORPUS ?? join(root, '../shared/corpus'), 'google-generatecontent');
const names = existsSync(folder) ? readdirSync(folder).filter((name) => name.endsWith('.json')) : [];
const recordings = names.map((name): Recording => JSON.parse(readFileSync(join(folder, name), 'utf8')));
const turns = recordings.flatMap(({ id, model, turns }) => turns.map((turn, index) => ({ ...turn, id, model, index })));
const google = makeDialect(googleGenerateContentSpec);

function eventsOf(sse: string): string[] {
  const events: string[] = [];
  const decoder = decodeSse((_, data) => events.push(data));
  decoder.push(sse);
  decoder.end();
  return events;
}

const candidateOf = (event: unknown): Candidate =>
  isObject(event) && Array.isArray(event.candidates) ? (event.candidates[0] as Candidate) : {};

/** Parameters may change their spelling, messages never. */
function camelCased(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(camelCased);
  if (!isObject(value)) return value;
  const entries = Object.entries(value).map(([name, inner]) => [
    name.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase()),
    camelCased(inner),
  ]);
  return Object.fromEntries(entries);
}

describe.skipIf(recordings.length === 0)('recorded traffic', () => {
  it('keeps the exact content of every response', () => {
    const replies = turns.filter(({ response, status }) => response && status === 200);
    for (const { response, responseText } of replies) {
      const body = responseText ?? JSON.stringify(response);
      const reply = google.readResponse(body);
      const content = textAt(body, ['candidates', 0, 'content']);
      expect(reply.message.raw).toBe(content ?? '{"role":"model","parts":[]}');
      expect(reply.message.role).toBe('assistant');
      expect(reply.envelope).toBe(content === undefined ? body : body.replace(content, 'null'));
      expect(reply.stop.reason).not.toBe('unknown');
      const { input, cacheRead, output, reasoning, native } = reply.usage!;
      expect(input + cacheRead + output + reasoning).toBe(JSON.parse(native).totalTokenCount);
    }
    console.log(`google-generatecontent: ${replies.length} recorded responses read`);
  });

  it('puts every stream together without losing a part', () => {
    const streams = turns.filter(({ sse }) => sse);
    for (const { sse } of streams) {
      const events = eventsOf(sse!);
      const reader = google.readStream();
      const told = events.flatMap((data) => reader.push(undefined, data));
      const reply = reader.finish();
      const parts = events.flatMap((data) => candidateOf(parseJson(data)).content?.parts ?? []);
      expect(JSON.parse(reply.message.raw)).toEqual({ role: 'model', parts });
      for (const data of events) {
        const text = textAt(data, ['candidates', 0, 'content', 'parts'])!;
        expect(reply.message.raw).toContain(text.slice(1, -1).trim());
      }
      expect(reply.message.origin.cut).toBeUndefined();
      expect(told.map((event) => (event.type === 'text' ? event.text : '')).join('')).toBe(reply.message.text);
      expect(told.filter(({ type }) => type === 'tool-use')).toHaveLength(reply.message.toolUses.length);
      const { input, output, reasoning, native } = reply.usage!;
      expect(input + output + reasoning).toBe(JSON.parse(native).totalTokenCount);
      expect(JSON.parse(reply.envelope)).toMatchObject({ candidates: [{ content: null }], usageMetadata: {} });
    }
    console.log(`google-generatecontent: ${streams.length} recorded streams read`);
  });

  it('writes every recorded request again as it was', () => {
    const requests = turns.filter(
      ({ request, status }) => isObject(request) && 'contents' in request && status === 200,
    );
    for (const { request, model } of requests) {
      const body = JSON.stringify(request);
      const { system, messages, tools, params, rest } = google.readRequest(body, { model });
      for (const message of messages) expect(['user', 'assistant', 'tool']).toContain(message.role);
      const written = writeRequest(google, {
        model,
        messages,
        tools,
        params,
        extra: `{${Object.entries(rest)
          .map(([name, text]) => `${JSON.stringify(name)}:${text}`)
          .join(',')}}`,
        ...(system && { system: [system] }),
      });
      const again = JSON.parse(written.body) as Record<string, unknown>;
      const before = request as Record<string, unknown>;
      expect(written.losses.filter(({ kind }) => kind === 'dropped')).toEqual([]);
      expect(again.contents).toEqual(before.contents);
      expect(again.systemInstruction).toEqual(before.systemInstruction);
      expect(camelCased(again.generationConfig)).toEqual(camelCased(before.generationConfig));
      expect(camelCased(again.toolConfig)).toEqual(camelCased(before.toolConfig));
    }
    console.log(`google-generatecontent: ${requests.length} recorded requests written again`);
  });
});
