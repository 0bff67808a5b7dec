/** Prompt caches: points go only where a model takes them, and an API that missed its cache is asked why. */

import { type CachePoint, dialect, loadDialect, provider, user, writeRequest } from '@skein/core';
import { says } from '@skein/emulator';
import { describe, expect, test } from 'vitest';
import { anthropic, ask, bodies, expectAccepted, responses, start, weather } from './kit.ts';

const cache: readonly CachePoint[] = ['tools', 'system', -1];

describe('cache points on Bedrock', () => {
  test.each<[string, number, readonly string[]]>([
    ['us.anthropic.claude-opus-5-5', 3, []],
    ['anthropic.claude-3-7-sonnet-20250219-v1:0', 3, []],
    ['eu.amazon.nova-pro-v1:0', 2, ['tools']],
    ['anthropic.claude-3-haiku-20240307-v1:0', 0, ['']],
    ['meta.llama4-scout-17b-instruct-v1:0', 0, ['']],
    ['zai.glm-4.7-flash', 0, ['']],
    ['arn:aws:bedrock:us-east-1:000000000000:application-inference-profile/abc', 0, ['']],
  ])('%s gets %i of them', async (model, count, lost) => {
    const emulator = await start();
    const options = { env: emulator.env(), system: 'Be brief.', tools: [weather], cache, messages: [user('Hi')] };
    const { losses } = await ask(emulator, { protocol: 'bedrock-converse', provider: 'bedrock', model }, options)
      .result;
    expectAccepted(emulator);
    expect(bodies(emulator)[0]!.match(/cachePoint/g)?.length ?? 0).toBe(count);
    expect(losses.map(({ reason, detail = '' }) => [reason, detail])).toEqual(
      lost.map((detail) => ['cache-marker', detail]),
    );
  });

  test('the emulator refuses one that a model does not take', async () => {
    const emulator = await start();
    const body = { messages: [{ role: 'user', content: [{ text: 'Hi' }, { cachePoint: { type: 'default' } }] }] };
    const ask = (model: string) =>
      fetch(`${emulator.url}/model/${model}/converse`, {
        method: 'POST',
        headers: { authorization: 'Bearer k', 'content-type': 'application/json' },
        body: JSON.stringify(body),
      });
    expect((await ask('amazon.nova-micro-v1:0')).status).toBe(200);
    expect((await ask('zai.glm-4.7-flash')).status).toBe(403);
    expect(emulator.log.at(-1)!.verdict.refusal?.rule).toBe('bedrock-converse.cache-unsupported');
  });
});

describe('breakpoints of OpenAI', () => {
  const write = (model: string) =>
    writeRequest(dialect('openai-responses'), {
      model,
      system: 'Be brief.',
      messages: [user('One'), user('Two')],
      cache,
    });

  test('stand on the last part of a message, from gpt-5.6 on', async () => {
    const { body, losses } = write('gpt-5.6');
    const marked = { type: 'input_text', text: 'Two', prompt_cache_breakpoint: { mode: 'explicit' } };
    expect(JSON.parse(body).input[1].content).toEqual([marked]);
    expect(losses.map(({ detail }) => detail)).toEqual(['tools', 'system']);
    const emulator = await start();
    await ask(emulator, { ...responses, model: 'gpt-5.6' }, { messages: [user('Hi')], cache: [-1] }).result;
    expect(bodies(emulator)[0]).toContain('prompt_cache_breakpoint');
    expectAccepted(emulator);
  });

  test('are lost before', () => {
    expect(write('gpt-5.5').body).not.toContain('breakpoint');
    expect(write('gpt-5.5').losses).toHaveLength(1);
  });
});

describe('cacheDiagnosis', () => {
  test('Anthropic compares with the response before, and a miss is a notice', async () => {
    const emulator = await start();
    const miss = { cache_miss_reason: { type: 'tools_changed', cache_missed_input_tokens: 40 } };
    emulator.script('anthropic-messages', [
      {
        blocks: [{ type: 'tool-use', name: 'get_weather', input: { city: 'Oslo' } }],
        extra: { envelope: { diagnostics: null } },
      },
      says('Warm.', { extra: { envelope: { diagnostics: miss } } }),
    ]);
    const options = { messages: [user('Weather?')], tools: [weather], cacheDiagnosis: true };
    const { steps, notices } = await ask(emulator, anthropic, options).result;
    const sent = bodies(emulator).map((body) => JSON.parse(body).diagnostics.previous_message_id);
    expect(sent).toEqual([null, JSON.parse(steps[0]!.envelope).id]);
    expect(emulator.log.map(({ headers }) => headers['anthropic-beta'])).toEqual(
      Array(2).fill('cache-diagnosis-2026-04-07'),
    );
    expect(notices).toEqual([
      { code: 'cache-miss', message: 'anthropic/claude-opus-5-5 did not use its cache: tools_changed, 40 tokens' },
    ]);
    expectAccepted(emulator);
  });

  test('OpenAI compares with the response before, beside options of the caller', async () => {
    const emulator = await start();
    const found = { type: 'cache_miss', reason: 'input_changed', cache_missed_tokens: 7 };
    emulator.script('openai-responses', [
      { blocks: [{ type: 'tool-use', name: 'get_weather', input: { city: 'Oslo' } }] },
      says('Warm.', { extra: { envelope: { prompt_cache_diagnostics: found } } }),
    ]);
    const extraBody = { prompt_cache_options: { ttl: '12h' } };
    const options = { messages: [user('Weather?')], tools: [weather], cacheDiagnosis: true, extraBody };
    const { steps, notices } = await ask(emulator, responses, options).result;
    const sent = bodies(emulator).map((body) => JSON.parse(body).prompt_cache_options);
    expect(sent).toEqual([{ ttl: '12h' }, { ttl: '12h', comparison_response_id: JSON.parse(steps[0]!.envelope).id }]);
    expect(notices.map(({ message }) => message)).toEqual([
      'openai/gpt-5.5 did not use its cache: input_changed, 7 tokens',
    ]);
  });

  test('an API that does not tell is not asked', async () => {
    const emulator = await start();
    const bedrock = {
      protocol: 'bedrock-converse',
      provider: 'bedrock',
      model: 'us.anthropic.claude-opus-5-5',
    } as const;
    await ask(emulator, bedrock, { messages: [user('Hi')], cacheDiagnosis: true }).result;
    expectAccepted(emulator);
    expect((await loadDialect(provider('bedrock').dialect)).cacheDiagnosis).toBeUndefined();
  });
});
