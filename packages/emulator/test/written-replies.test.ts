import { assistant, type Dialect, decodeSse, dialect } from '@skein/core';
import { readBlocks, serving } from '@skein/core/dialect';
import { describe, expect, it } from 'vitest';
import { renderAnthropicMessages } from '../src/render/anthropic-messages.ts';
import { renderGoogleGenerateContent } from '../src/render/google-generatecontent.ts';
import { renderGoogleInteractions } from '../src/render/google-interactions.ts';
import { renderOpenAIChat } from '../src/render/openai-chat.ts';
import { renderOpenAIResponses } from '../src/render/openai-responses.ts';
import { createMint, type Renderer } from '../src/render/renderer.ts';
import type { MessageReply } from '../src/reply.ts';

const RENDERERS: Readonly<Record<string, Renderer>> = {
  'openai-chat': renderOpenAIChat,
  'openai-responses': renderOpenAIResponses,
  'anthropic-messages': renderAnthropicMessages,
  'google-generatecontent': renderGoogleGenerateContent,
  'google-interactions': renderGoogleInteractions,
};

type Sealer = Parameters<typeof createMint>[1];
const SEALER = { seal: () => 'c2VhbGVk' } as unknown as Sealer;

/** The same reply as the emulator renders it, and as the dialect writes what it reads of that. */
const REPLIES: Readonly<Record<string, MessageReply>> = {
  text: { blocks: [{ type: 'text', text: 'The weather in Zürich is fine today, and will be tomorrow.' }] },
  'reasoning and calls': {
    blocks: [
      { type: 'thinking', text: 'I need both cities before I can answer that.', signature: 'c2lnbmVk' },
      { type: 'text', text: 'Let me look.' },
      { type: 'tool-use', name: 'weather', input: { city: 'Zürich' }, id: 'call_1' },
      { type: 'tool-use', name: 'weather', input: { city: 'Bern' }, id: 'call_2' },
    ],
    usage: { input: 30, output: 20, reasoning: 5, cached: 10 },
  },
  'a reply that was too long': { blocks: [{ type: 'text', text: 'Once upon a' }], stop: 'max-tokens' },
};

const REQUESTS: Readonly<Record<string, Record<string, unknown>>> = {
  'openai-chat': { stream: true, stream_options: { include_usage: true } },
  'openai-responses': { stream: true, include: ['reasoning.encrypted_content'] },
  'anthropic-messages': { stream: true, max_tokens: 99 },
  'google-generatecontent': {},
  'google-interactions': { stream: true },
};

/** One that does not sign. */
const MODEL = 'gemini-2.5-flash';

type Event = readonly [name: string | undefined, data: unknown];

function eventsIn(text: string): Event[] {
  const events: Event[] = [];
  const decoder = decodeSse((event, data) => events.push([event, data === '[DONE]' ? data : JSON.parse(data)]));
  decoder.push(text);
  decoder.end();
  return events;
}

/** The members of a value and of all values in it; ids, times, words and counts aside. */
function shape(value: unknown): unknown {
  if (Array.isArray(value)) return value.length > 0 ? [shape(value[0])] : [];
  if (typeof value !== 'object' || value === null) return typeof value;
  return Object.fromEntries(
    Object.entries(value)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([name, member]) => [
        name,
        name === 'args' || name === 'input' || name === 'arguments' ? 'given' : shape(member),
      ]),
  );
}

/** Where a value may be null in one of two and something else in the other. */
function loosely(value: unknown): string {
  return JSON.stringify(value).replaceAll('"object"', '"string"');
}

interface Chunk {
  readonly candidates: readonly { readonly content: { readonly parts?: unknown } }[];
}

/**
 * Google's API may say with the last part why a reply ends, or in a chunk of its own, as whoever does not know the last
 * part has to; and each chunk counts the tokens that are known by then.
 */
function folded(events: readonly Event[]): Event[] {
  const all: Event[] = [];
  for (const [name, data] of events) {
    const { usageMetadata: _, ...chunk } = data as Chunk & { usageMetadata: unknown };
    const [candidate] = chunk.candidates;
    const last = all.at(-1)?.[1] as Chunk | undefined;
    const isEmpty = JSON.stringify(candidate?.content.parts ?? [{ text: '' }]) === '[{"text":""}]';
    if (!isEmpty || !last) all.push([name, chunk]);
    else
      all[all.length - 1] = [name, { ...chunk, candidates: [{ ...candidate, content: last.candidates[0]!.content }] }];
  }
  return all;
}

/** A stream as the steps of its grammar: how often a delta comes in a row depends on how a text is cut. */
function steps(events: readonly Event[]): string[] {
  const all = events.map(([name, data]) => `${name ?? ''} ${loosely(shape(data))}`);
  return all.filter((step, at) => step !== all[at - 1]);
}

describe.each(Object.keys(REQUESTS))('%s, as the dialect writes it and as the emulator does', (id) => {
  const made: Dialect = dialect(id);
  const { writeReply, writeStream } = serving(made);

  it.each(Object.keys(REPLIES))('%s', (name) => {
    const request = { model: MODEL, ...REQUESTS[id] };
    const context = {
      request,
      text: JSON.stringify(request),
      model: MODEL,
      mint: createMint('seed', SEALER),
      created: 1,
      refuseOwnFields: false,
    };
    const rendered = RENDERERS[id]!(REPLIES[name]!, context);
    const body = JSON.stringify(rendered.body);
    const read = made.readResponse(body);
    // Of Skein's own blocks nothing can be written as it was.
    const reply = { ...read, message: assistant([...read.message.content]) };
    const head = { id: 'resp_1', model: MODEL, created: 1, request, reference: () => 'c2lnbmVk' };

    const written = JSON.parse(writeReply!({ ...head, ...reply }).body);
    expect(loosely(shape(written))).toBe(loosely(shape(JSON.parse(body))));

    const reader = readBlocks(made);
    const writer = writeStream!(head);
    const events = rendered.events.map(
      ({ event, data = '' }): Event => [event, data === '[DONE]' ? data : JSON.parse(data)],
    );
    let text = '';
    for (const { event, data = '' } of rendered.events)
      for (const told of reader.push(event, data)) text += writer.push(told);
    for (const told of reader.finish().events) text += writer.push(told);
    text += writer.finish(reply);
    const grammar =
      id === 'google-generatecontent' ? folded : (all: Event[]) => all.filter(([type]) => type !== 'ping');
    expect(steps(grammar(eventsIn(text)))).toEqual(steps(grammar(events)));
  });
});
