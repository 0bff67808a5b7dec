import {
  type CachePoint,
  type Message,
  type ProviderDescriptor,
  provider,
  system,
  user,
  type WriteRequest,
  writeRequest,
} from '@skein/core';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { anthropicMessagesSpec } from '../../src/dialects/anthropic-messages/index.ts';
import { bedrockConverseSpec } from '../../src/dialects/bedrock-converse/index.ts';
import { cohereChatSpec } from '../../src/dialects/cohere-chat/index.ts';
import { type DialectSpec, makeDialect } from '../../src/dialects/dialect.ts';
import { googleGenerateContentSpec } from '../../src/dialects/google-generatecontent/index.ts';
import { googleInteractionsSpec } from '../../src/dialects/google-interactions/index.ts';
import { openaiChatSpec } from '../../src/dialects/openai-chat/index.ts';
import { openaiResponsesSpec } from '../../src/dialects/openai-responses/index.ts';
import { APIS } from './apis.ts';
import { longHistory } from './random-history.ts';

const SPECS: readonly DialectSpec[] = [
  openaiChatSpec,
  openaiResponsesSpec,
  anthropicMessagesSpec,
  googleGenerateContentSpec,
  googleInteractionsSpec,
  bedrockConverseSpec,
  cohereChatSpec,
];

/** Models with different rules about roles, reasoning and the end of a request. */
const TARGETS: readonly { dialect: string; model: string; provider?: ProviderDescriptor }[] = [
  ...APIS.flatMap(({ dialect, models }) => models.map((model) => ({ dialect: dialect.id, model }))),
  ...['mistral', 'deepseek', 'openrouter', 'ollama'].map((id) => ({
    dialect: openaiChatSpec.id,
    model: 'some-model',
    provider: provider(id),
  })),
];

/** What happens to the conversation before the next request: it grows, is cut, or is edited. */
const step = fc.record({
  grows: fc.integer({ min: 0, max: 4 }),
  cut: fc.option(fc.nat(12), { freq: 5 }),
  edit: fc.option(fc.record({ at: fc.nat(12), kind: fc.constantFrom('user', 'system', 'again', 'gone') }), { freq: 4 }),
  target: fc.option(fc.nat(TARGETS.length - 1), { freq: 4 }),
  knowsPrevious: fc.boolean(),
  isSent: fc.boolean(),
  cache: fc.constantFrom<readonly CachePoint[]>([], [], [], [-1], [0, -1]),
  unapproved: fc.boolean(),
  system: fc.option(fc.constantFrom('Be brief.', 'Be long.'), { freq: 6 }),
});

test('a request is the same in bytes, losses and manifest, whatever was written before', () => {
  fc.assert(
    fc.property(longHistory, fc.array(step, { minLength: 4, maxLength: 14 }), ({ messages: all }, steps) => {
      const warm = new Map(SPECS.map((spec) => [spec.id, makeDialect(spec)]));
      let messages: Message[] = all.slice(0, 2);
      let next = 2;
      let target = TARGETS[0]!;
      let previous: WriteRequest['previous'];
      for (const { grows, cut, edit, isSent, knowsPrevious, cache, unapproved, ...given } of steps) {
        target = TARGETS[given.target ?? -1] ?? target;
        if (cut !== null) messages = messages.slice(0, Math.max(1, messages.length - cut));
        messages = [...messages, ...all.slice(next, next + grows)];
        next += grows;
        if (edit) messages = edited(messages, edit);
        const calls = messages.flatMap(({ facts }) => facts.calls.map(({ id }) => id));
        const request = {
          model: target.model,
          ...(target.provider && { provider: target.provider }),
          messages,
          params: { maxTokens: 2048 },
          ...(warm.get(target.dialect)!.id !== googleGenerateContentSpec.id && {
            cache: cache.slice(0, messages.length),
          }),
          ...(given.system !== null && { system: given.system }),
          ...(unapproved && { unapproved: calls }),
        };
        const written = writeRequest(warm.get(target.dialect)!, {
          ...request,
          ...(knowsPrevious && previous && { previous }),
        });
        const saved = previous && JSON.parse(JSON.stringify(previous));
        const cold = writeRequest(makeDialect(SPECS.find(({ id }) => id === target.dialect)!), {
          ...request,
          ...(knowsPrevious && previous && { previous: saved }),
        });
        if (isSent) expect(new TextDecoder().decode(written.bytes())).toBe(cold.body);
        expect(written.body).toBe(cold.body);
        expect(written.losses).toEqual(cold.losses);
        expect(written.manifest).toEqual(cold.manifest);
        expect(written.manifest.prefix).toBe(cold.manifest.prefix);
        previous = written.manifest;
      }
    }),
    { numRuns: 100 },
  );
});

function edited(messages: readonly Message[], { at, kind }: { at: number; kind: string }): Message[] {
  const index = Math.max(0, messages.length - 1 - at);
  if (kind === 'gone') return messages.length > 1 ? messages.toSpliced(index, 1) : [...messages];
  if (kind === 'again') return messages.toSpliced(index, 0, messages[index]!);
  return messages.toSpliced(index, kind === 'user' ? 1 : 0, kind === 'user' ? user('Edited') : system('By the way.'));
}
