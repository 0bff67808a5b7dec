import Anthropic from '@anthropic-ai/sdk';
import OpenAI from 'openai';
import { describe, expect, it } from 'vitest';
import type { Protocol } from './recordings.ts';
import { answering, orRefused, plain } from './sdk-client.ts';
import { readChunks, streams } from './streamed.ts';

/**
 * The vendors' own accumulators, where they have one. They hold numbers as doubles and lose what they do not know,
 * so only what they keep is compared, by value. A stream that an SDK refuses is counted and printed.
 */

type Value = Record<string, unknown>;

/** Streams that an SDK throws on: errors inside, choices without an end, items and starts it does not expect. */
const REFUSED = new Set([
  'pyai.groq.tool_use_failed_error_streaming.json#0',
  'pyai.openrouter.openrouter_stream_error.json#0',
  'pyai.snowflake.snowflake_model_streaming.json#0',
  'pyai.snowflake.snowflake_thinking_streaming.json#0',
  'vercel.openai.openai-shell-skills.1.stream.json#0',
  'vercel.openai.openai-shell-container.1.stream.json#0',
  'vercel.anthropic.duplicate-message-start.stream.json#0',
  'vercel.anthropic.spliced-message-start.stream.json#0',
]);

const openai = (sse: string): OpenAI => new OpenAI({ apiKey: 'none', maxRetries: 0, fetch: answering(sse) });
const anthropic = (sse: string): Anthropic => new Anthropic({ apiKey: 'none', maxRetries: 0, fetch: answering(sse) });

async function compared(
  protocol: Protocol,
  accumulate: (sse: string) => Promise<unknown>,
  ours: (raw: unknown) => unknown,
  theirs: (value: Value) => unknown,
): Promise<number> {
  const refused: string[] = [];
  let equal = 0;
  for (const { name, sse } of streams(protocol)) {
    const value = plain(await orRefused(accumulate(sse)));
    if (typeof value !== 'object' || value === null) {
      refused.push(name);
      continue;
    }
    const { message } = readChunks(protocol, [sse]).reply;
    expect(ours(plain(JSON.parse(message.raw))), name).toEqual(theirs(value as Value));
    equal++;
  }
  console.log(`${protocol}: ${equal} streams agree with the vendor's SDK, which refuses ${refused.length}`);
  expect(refused.filter((name) => !REFUSED.has(name))).toEqual([]);
  return equal;
}

describe('the same stream read by the SDK of its vendor', () => {
  it('openai-chat', async () => {
    const equal = await compared(
      'openai-chat',
      (sse) => openai(sse).chat.completions.stream({ model: 'm', messages: [] }).finalChatCompletion(),
      (raw) => chatMessage(raw),
      (completion) => chatMessage((completion.choices as { message: unknown }[])[0]?.message),
    );
    expect(equal).toBeGreaterThan(1);
  });

  it('openai-responses', async () => {
    const equal = await compared(
      'openai-responses',
      (sse) => openai(sse).responses.stream({ model: 'm', input: '' }).finalResponse(),
      (raw) => raw,
      (response) => (response.output as unknown[]).map(withoutParsed),
    );
    expect(equal).toBeGreaterThan(1);
  });

  it('anthropic-messages', async () => {
    const equal = await compared(
      'anthropic-messages',
      (sse) => anthropic(sse).beta.messages.stream({ model: 'm', max_tokens: 1, messages: [] }).finalMessage(),
      (raw) => (raw as Value).content,
      (message) => (message.content as unknown[]).map(withoutParsed),
    );
    expect(equal).toBeGreaterThan(1);
  });
});

/** Of a chat message the SDK keeps content, refusal and calls; of other strings only the last piece, and lists become `[object Object]`. */
function chatMessage(message: unknown): unknown {
  const { content, refusal, tool_calls: calls } = message as Value;
  return {
    content: typeof content === 'string' && !content.includes('[object Object]') ? content || null : null,
    refusal: refusal ?? null,
    // It leaves out calls that have no type, as some compatible providers send them.
    calls: (Array.isArray(calls) ? calls : []).flatMap((call: Value) => {
      const { name, arguments: text } = call.function as Value;
      return call.type === undefined ? [] : [{ id: call.id, type: call.type, name, text }];
    }),
  };
}

/** The SDKs add what they parsed themselves. */
function withoutParsed(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutParsed);
  if (typeof value !== 'object' || value === null) return value;
  const { parsed: _, parsed_arguments: __, parsed_output: ___, ...rest } = value as Value;
  return Object.fromEntries(Object.entries(rest).map(([name, member]) => [name, withoutParsed(member)]));
}
