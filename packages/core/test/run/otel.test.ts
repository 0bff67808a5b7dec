import type { Attributes, Span, SpanOptions, SpanStatus, TimeInput } from '@opentelemetry/api';
import { tool, user } from '@skein/core';
import { otelObserver } from '@skein/core/otel';
import { says } from '@skein/emulator';
import { expect, test } from 'vitest';
import { anthropic, ask, chat, modelOf, start } from './kit.ts';

interface Recorded {
  readonly name: string;
  readonly attributes: Attributes;
  readonly events: string[];
  status?: SpanStatus;
  ends: TimeInput[];
}

/** A tracer that keeps its spans. */
function recorder() {
  const spans: Recorded[] = [];
  const startSpan = (name: string, options: SpanOptions = {}): Span => {
    const recorded: Recorded = { name, attributes: { ...options.attributes }, events: [], ends: [] };
    spans.push(recorded);
    const span: Partial<Span> = {
      setAttribute: (key, value) => Object.assign(recorded.attributes, { [key]: value }) && (span as Span),
      setAttributes: (more) => Object.assign(recorded.attributes, more) && (span as Span),
      addEvent: (event) => recorded.events.push(event) > 0 && (span as Span),
      setStatus: (status) => Object.assign(recorded, { status }) && (span as Span),
      end: (at) => void recorded.ends.push(at ?? 0),
    } as Partial<Span>;
    return span as Span;
  };
  return { spans, tracer: { startSpan } };
}

const look = tool({ name: 'look', execute: () => 'SECRET result' });
const fails = tool({
  name: 'fails',
  execute: () => {
    throw new Error('SECRET failure');
  },
});

async function observed(payloads: boolean) {
  const emulator = await start();
  emulator.script(anthropic.protocol, [
    { error: { status: 529 }, retryAfter: { ms: 0 } },
    {
      blocks: [
        { type: 'tool-use', name: 'look', input: { at: 'SECRET' } },
        { type: 'tool-use', name: 'fails', input: {} },
      ],
      usage: { input: 120, output: 12 },
    },
    says('SECRET answer'),
  ]);
  const { spans, tracer } = recorder();
  await ask(emulator, anthropic, {
    messages: [user('SECRET question')],
    tools: [look, fails],
    params: { maxTokens: 500 },
    observer: otelObserver(tracer, { payloads }),
    observePayloads: true,
  }).result;
  return spans;
}

test('requests and calls are spans with the attributes of the conventions', async () => {
  const spans = await observed(false);
  expect(spans.map(({ name }) => name)).toEqual([
    'chat claude-opus-5-5',
    'execute_tool look',
    'execute_tool fails',
    'chat claude-opus-5-5',
  ]);
  expect(spans.every(({ ends }) => ends.length === 1)).toBe(true);
  expect(spans[0]).toMatchObject({
    attributes: {
      'gen_ai.operation.name': 'chat',
      'gen_ai.provider.name': 'anthropic',
      'gen_ai.request.model': 'claude-opus-5-5',
      'gen_ai.request.max_tokens': 500,
      'gen_ai.response.finish_reasons': ['tool_use'],
      'gen_ai.usage.input_tokens': 120,
      'gen_ai.usage.output_tokens': 12,
      'gen_ai.request.stream': true,
      'gen_ai.response.time_to_first_chunk': expect.any(Number),
    },
    events: ['skein.retry'],
  });
  expect(spans[0]?.status).toBeUndefined();
  expect(spans[1]?.attributes).toMatchObject({
    'gen_ai.operation.name': 'execute_tool',
    'gen_ai.tool.name': 'look',
    'gen_ai.tool.call.id': expect.any(String),
  });
  expect(spans[2]).toMatchObject({ attributes: { 'error.type': 'failed' }, status: { code: 2 } });
});

test('nothing that was said is in them, unless asked for', async () => {
  expect(JSON.stringify(await observed(false))).not.toContain('SECRET');
  const told = JSON.stringify(await observed(true));
  for (const text of ['SECRET question', 'SECRET result', 'SECRET answer']) expect(told).toContain(text);
});

test('a failed request ends its span with an error; the fallback has its own', async () => {
  const emulator = await start();
  emulator.script(anthropic.protocol, { error: { status: 500 } });
  const { spans, tracer } = recorder();
  const observer = otelObserver(tracer);
  const fallback = [modelOf(chat)];
  const env = emulator.env();
  await ask(emulator, anthropic, { messages: [user('Hi')], fallback, env, retry: false, observer }).result;
  expect(spans).toMatchObject([
    { name: 'chat claude-opus-5-5', attributes: { 'http.response.status_code': 500 }, status: { code: 2 } },
    { name: 'chat gpt-5.5', attributes: { 'gen_ai.provider.name': 'openai' } },
  ]);
  expect(spans.every(({ ends }) => ends.length === 1)).toBe(true);
});

test('a reply that breaks off and a run that fails leave no span open', async () => {
  const emulator = await start();
  emulator.script(chat.protocol, [
    says('Half an answer', { streamError: { afterEvents: 3 }, pieces: 3 }),
    { error: { status: 401 } },
  ]);
  const { spans, tracer } = recorder();
  const observer = otelObserver(tracer);
  for (let count = 0; count < 2; count++)
    await expect(ask(emulator, chat, { messages: [user('Hi')], retry: false, observer }).result).rejects.toThrow();
  expect(spans.map(({ ends }) => ends.length)).toEqual([1, 1]);
  expect(spans[1]?.attributes['error.type']).toBe('authentication');
});
