import { anthropicMessages, googleGenerateContent, openaiChat, openaiResponses } from '@skein/core';
import { describe, expect, it } from 'vitest';
import { ClientRefusal } from '../client/client-error.ts';
import { adapt, type ModelName } from './test-adapt.ts';

const hello = [{ role: 'user', content: 'Hello' }];
const chat = (members: object, to: ModelName = 'anthropic') =>
  adapt(openaiChat, { model: 'm', messages: hello, ...members }, to);
const responses = (members: object, to: ModelName = 'anthropic') =>
  adapt(openaiResponses, { model: 'm', input: 'Hello', ...members }, to);
const anthropic = (members: object, to: ModelName = 'responses') =>
  adapt(anthropicMessages, { model: 'm', max_tokens: 1000, messages: hello, ...members }, to);
const google = (members: object, to: ModelName = 'anthropic') =>
  adapt(googleGenerateContent, { contents: [{ role: 'user', parts: [{ text: 'Hello' }] }], ...members }, to);

const weather = { name: 'weather', description: 'Weather', parameters: { type: 'object', properties: {} } };
const chatTools = { tools: [{ type: 'function', function: weather }] };

describe('reasoning', () => {
  it('becomes an effort where a model takes efforts', async () => {
    const { body, notes } = await anthropic({
      thinking: { type: 'enabled', budget_tokens: 31_999 },
      max_tokens: 40_000,
    });
    expect(body.reasoning).toEqual({ effort: 'high', summary: 'auto' });
    expect(notes).toContain('rewritten params.reasoning parameter 31999 -> high');
  });

  it('becomes a budget where a model takes numbers', async () => {
    const { body } = await chat({ reasoning_effort: 'medium', max_completion_tokens: 20_000 }, 'claude45');
    expect(body.thinking).toEqual({ type: 'enabled', budget_tokens: 8192 });
    const gemini = await chat({ reasoning_effort: 'none' }, 'gemini25');
    expect(gemini.body.generationConfig).toEqual({ thinkingConfig: { thinkingBudget: 0 } });
  });

  it('goes down to the next level that the model has', async () => {
    expect((await chat({ reasoning_effort: 'xhigh' }, 'google')).body.generationConfig).toEqual({
      thinkingConfig: { thinkingLevel: 'HIGH' },
    });
    expect((await chat({ reasoning_effort: 'minimal' })).body.output_config).toEqual({ effort: 'low' });
  });

  it('takes the effort beside adaptive thinking, and "disabled" beside an effort', async () => {
    const adaptive = { thinking: { type: 'adaptive' }, output_config: { effort: 'low' } };
    expect((await anthropic(adaptive)).body.reasoning).toEqual({ effort: 'low', summary: 'auto' });
    const off = { thinking: { type: 'disabled' }, output_config: { effort: 'low' } };
    expect((await anthropic(off, 'chat')).body.reasoning_effort).toBe('none');
  });

  it('shows thoughts where the client asked for them', async () => {
    const config = { generationConfig: { thinkingConfig: { thinkingLevel: 'LOW', includeThoughts: true } } };
    expect((await google(config, 'responses')).body.reasoning).toEqual({ effort: 'low', summary: 'auto' });
    expect((await google(config)).body.thinking).toEqual({ type: 'adaptive', display: 'summarized' });
  });
});

describe('what a program relies on', () => {
  it.each([
    ['logprobs', () => chat({ logprobs: true })],
    ['top_logprobs', () => responses({ top_logprobs: 2 })],
    ['background', () => responses({ background: true })],
    ['prompt', () => responses({ prompt: { id: 'pmpt_1' } })],
    ['functions', () => chat({ functions: [weather] })],
    ['cachedContent', () => google({ cachedContent: 'cachedContents/1' })],
    ['generationConfig.responseLogprobs', () => google({ generationConfig: { responseLogprobs: true } })],
    ['inference_geo', () => anthropic({ inference_geo: 'us' })],
    ['include', () => responses({ include: ['message.output_text.logprobs'] })],
    ['response_format', () => chat({ response_format: { type: 'json_object' } }, 'opus55')],
    ['modalities', () => chat({ modalities: ['text', 'audio'] }, 'google')],
    [
      'tool_choice',
      () =>
        responses({ tools: [{ type: 'file_search', vector_store_ids: ['vs'] }], tool_choice: { type: 'file_search' } }),
    ],
  ])('is refused by name: %s', async (param, ask) => {
    const error = await ask().catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(ClientRefusal);
    expect(error).toMatchObject({ status: 400, param });
  });

  it('is refused where the model cannot be forced, and where it takes no begun answer', async () => {
    const forced = { ...chatTools, tool_choice: 'required' };
    expect((await chat(forced)).body.tool_choice).toEqual({ type: 'any' });
    await expect(chat(forced, 'opus55')).rejects.toThrow('forces a call');
    const begun = chat({ messages: [...hello, { role: 'assistant', content: 'The answer is' }] });
    await expect(begun).rejects.toThrow('prefill');
  });

  it('is not refused where it asks for nothing', async () => {
    const members = { logprobs: false, n: 1, top_logprobs: 0, functions: [], response_format: { type: 'text' } };
    const { notes, copies } = await chat({ ...members, service_tier: 'auto', frequency_penalty: 0, stop: null });
    expect(copies).toBe(1);
    expect(notes.filter((note) => !note.includes('cache-marker'))).toEqual([]);
  });

  it('is done by the gateway: several replies, and stop sequences', async () => {
    expect(await chat({ n: 3 })).toMatchObject({ copies: 3 });
    expect(await google({ generationConfig: { candidateCount: 2 } })).toMatchObject({ copies: 2 });
    expect(await chat({ stop: 'END' }, 'responses')).toMatchObject({ stops: ['END'], body: { store: false } });
    // Anthropic takes no white space alone.
    expect(await chat({ stop: ['\n', 'END'] })).toMatchObject({ stops: ['\n', 'END'] });
    const { stops, body } = await chat({ stop: ['END'] });
    expect(stops).toEqual([]);
    expect(body.stop_sequences).toEqual(['END']);
  });
});

describe('structured output', () => {
  const schema = {
    type: 'object',
    properties: { city: { type: 'string' } },
    required: ['city'],
    additionalProperties: false,
  };

  it('is asked for in the words of each target', async () => {
    const format = { type: 'json_schema', json_schema: { name: 'city', schema, strict: true } };
    expect((await chat({ response_format: format })).body.output_config).toEqual({
      format: { type: 'json_schema', schema },
    });
    expect((await chat({ response_format: format }, 'google')).body.generationConfig).toEqual({
      responseMimeType: 'application/json',
      responseJsonSchema: schema,
    });
    const config = { responseMimeType: 'application/json', responseJsonSchema: schema };
    expect((await google({ generationConfig: config }, 'responses')).body.text).toMatchObject({
      format: { type: 'json_schema', schema },
    });
    expect(
      (await anthropic({ output_config: { format: { type: 'json_schema', schema } } }, 'chat')).body.response_format,
    ).toMatchObject({
      json_schema: { schema },
    });
  });

  it('is the arguments of a call where a model takes no such member', async () => {
    const { body, isAnswerCalled, notes } = await chat({ response_format: { type: 'json_object' } });
    expect(body).toMatchObject({
      tools: [{ name: 'final_answer' }],
      tool_choice: { type: 'tool', name: 'final_answer' },
    });
    expect(isAnswerCalled).toBe(true);
    expect(notes).toContain('rewritten response_format parameter final_answer');
  });

  it('reads a schema in the words of Google', async () => {
    const config = {
      responseMimeType: 'application/json',
      responseSchema: {
        type: 'OBJECT',
        properties: { city: { type: 'STRING', nullable: true } },
        propertyOrdering: ['city'],
      },
    };
    expect((await google({ generationConfig: config }, 'responses')).body.text).toMatchObject({
      format: { schema: { type: 'object', properties: { city: { type: ['string', 'null'] } } } },
    });
  });
});

describe('settings that several protocols have', () => {
  it('are carried under their other names', async () => {
    expect((await chat({ service_tier: 'default', user: 'u1' })).body).toMatchObject({
      service_tier: 'standard_only',
      metadata: { user_id: 'u1' },
    });
    expect((await chat({ service_tier: 'flex', presence_penalty: 0.5 }, 'google')).body).toMatchObject({
      serviceTier: 'flex',
      generationConfig: { presencePenalty: 0.5 },
    });
    expect((await chat({ verbosity: 'low', prompt_cache_key: 'k' }, 'responses')).body).toMatchObject({
      text: { verbosity: 'low' },
      prompt_cache_key: 'k',
    });
    expect((await anthropic({ top_k: 5 }, 'google')).body.generationConfig).toMatchObject({ topK: 5 });
    expect((await google({ generation_config: { top_k: 5 } })).body).toMatchObject({ top_k: 5 });
  });

  it('are reported where the target has none', async () => {
    const { notes } = await chat({ verbosity: 'low', logit_bias: { 5: 1 }, seed: 7, service_tier: 'flex' });
    expect(notes).toEqual(
      expect.arrayContaining([
        'dropped verbosity parameter verbosity',
        'dropped logit_bias parameter',
        'dropped params.seed parameter',
        'dropped service_tier parameter service-tier',
      ]),
    );
    expect((await anthropic({ metadata: { user_id: 'x'.repeat(100) } })).notes).toContain(
      'dropped metadata.user_id parameter user',
    );
  });

  it('reports a member that nobody knows', async () => {
    expect((await chat({ new_member: { a: 1 } })).notes).toContain('dropped new_member parameter');
    expect((await responses({ reasoning: { depth: 3 } })).notes).toContain('dropped reasoning.depth parameter');
  });
});

describe('the choice of tools', () => {
  it('is carried with the limit to one call at a time', async () => {
    const tools = [{ name: 'weather', input_schema: { type: 'object' } }];
    const one = await anthropic({
      tools,
      tool_choice: { type: 'tool', name: 'weather', disable_parallel_tool_use: true },
    });
    expect(one.body).toMatchObject({ tool_choice: { type: 'function', name: 'weather' }, parallel_tool_calls: false });
    const many = await anthropic({ tools, tool_choice: { type: 'any' } }, 'google');
    expect(many.body.toolConfig).toEqual({ functionCallingConfig: { mode: 'ANY' } });
    const named = { functionCallingConfig: { mode: 'ANY', allowedFunctionNames: ['weather'] } };
    const declared = [{ functionDeclarations: [{ name: 'weather', parameters: { type: 'OBJECT' } }] }];
    expect((await google({ tools: declared, toolConfig: named }, 'chat')).body.tool_choice).toEqual({
      type: 'function',
      function: { name: 'weather' },
    });
  });
});
