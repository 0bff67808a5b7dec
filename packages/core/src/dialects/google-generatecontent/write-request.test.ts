import { describe, expect, it } from 'vitest';
import { assistant, system, toolResult, user } from '../../message/index.ts';
import { makeDialect } from '../dialect.ts';
import { writeRequest } from '../write/write-request.ts';
import { googleGenerateContentSpec } from './index.ts';

const google = makeDialect(googleGenerateContentSpec);
const model = 'gemini-3-flash-preview';
const messages = [user('hi')];
const CONTENTS = '"contents":[{"role":"user","parts":[{"text":"hi"}]}]';

describe('the body around the contents', () => {
  it('has system and tools before them, parameters behind them, and no model', () => {
    const { body, losses } = writeRequest(google, {
      model,
      messages,
      system: 'Be brief.',
      tools: [
        { name: 'f', description: 'Does f.', parameters: '{"type":"object", "$defs":{}}' },
        { dialect: 'google-generatecontent', native: '{"googleSearch":{}}' },
        { dialect: 'anthropic-messages', native: '{"type":"web_search_20260209"}' },
      ],
      params: {
        maxTokens: 100,
        temperature: 0,
        topP: 0.5,
        stop: ['END'],
        seed: 7,
        stream: true,
        reasoning: { effort: 'low' },
        toolChoice: { name: 'f' },
        parallelToolCalls: false,
      },
      extra: '{"generation_config":{"topK":4,"thinkingConfig":{"includeThoughts":true}},"cachedContent":"x"}',
    });
    expect(body).toBe(
      `{"systemInstruction":{"parts":[{"text":"Be brief."}]},"tools":[{"functionDeclarations":[{"name":"f","description":"Does f.","parametersJsonSchema":{"type":"object", "$defs":{}}}]},{"googleSearch":{}}],${CONTENTS},"generationConfig":{"maxOutputTokens":100,"temperature":0,"topP":0.5,"stopSequences":["END"],"seed":7,"thinkingConfig":{"thinkingLevel":"LOW","includeThoughts":true},"topK":4},"toolConfig":{"functionCallingConfig":{"mode":"ANY","allowedFunctionNames":["f"]}},"cachedContent":"x"}`,
    );
    expect(losses.map(({ path, reason }) => `${path} ${reason}`)).toEqual([
      'tools[2] server-tool',
      'params.parallelToolCalls parameter',
    ]);
  });

  it.each([
    [model, { effort: 'high' }, '{"thinkingLevel":"HIGH"}', 0],
    [model, { effort: 'max' }, '{"thinkingLevel":"MAX"}', 0],
    [model, { effort: 'low', budget: 512 }, '{"thinkingBudget":512}', 1],
    ['gemini-2.5-flash', { budget: 0 }, '{"thinkingBudget":0}', 0],
  ])('asks %s to think %o', (name, reasoning, config, notes) => {
    const { body, losses } = writeRequest(google, { model: name, messages, params: { reasoning } });
    expect(body).toBe(`{${CONTENTS},"generationConfig":{"thinkingConfig":${config}}}`);
    expect(losses).toHaveLength(notes);
  });

  it('leaves out a level where only budgets are taken', () => {
    const params = { reasoning: { effort: 'medium' } };
    const { body, losses } = writeRequest(google, { model: 'gemini-2.5-flash', messages, params });
    expect(body).toBe(`{${CONTENTS}}`);
    expect(losses).toMatchObject([{ kind: 'dropped', path: 'params.reasoning.effort', reason: 'parameter' }]);
  });

  it('sends a system text of its own byte for byte, and several as one', () => {
    const value = '{"role":"user", "parts": [{"text":"caf\\u00e9"}]}';
    const own = google.parseMessage(`{"role":"system","content":${value}}`);
    expect(writeRequest(google, { model, messages, system: [own] }).body).toContain(`{"systemInstruction":${value},`);
    expect(writeRequest(google, { model, messages: [own, system('Be brief.'), ...messages] }).body).toBe(
      `{"systemInstruction":{"parts":[{"text":"caf\\u00e9"},{"text":"Be brief."}]},${CONTENTS}}`,
    );
  });
});

describe('a whole request', () => {
  it('takes a foreign tool loop: signed once per message, results gathered', () => {
    const calls = ['a', 'b'].map(
      (id) => ({ type: 'tool-use', id, name: 'f', parameters: {}, rawParameters: '{}' }) as const,
    );
    const { body } = writeRequest(google, {
      model,
      messages: [user('hi'), assistant(calls), toolResult('b', '2'), toolResult('a', '1')],
    });
    const { contents } = JSON.parse(body) as { contents: { role: string; parts: Record<string, unknown>[] }[] };
    expect(contents.map(({ role, parts }) => [role, parts.length])).toEqual([
      ['user', 1],
      ['model', 2],
      ['user', 2],
    ]);
    expect(contents[1]?.parts.map((part) => 'thoughtSignature' in part)).toEqual([true, false]);
  });

  it('pairs results without ids with calls without ids', () => {
    const raw = '{"role":"model","parts":[{"functionCall":{"name":"f"},"thoughtSignature":"c2ln"}]}';
    const call = google.parseMessage(raw, { model });
    const answer = '{"role":"user","parts":[{"functionResponse":{"name":"f","response":{"output":"x"}}}]}';
    const history = [user('hi'), call, google.parseMessage(answer)];
    const { body, losses } = writeRequest(google, { model, messages: history });
    expect(body).toBe(`{"contents":[{"role":"user","parts":[{"text":"hi"}]},${raw},${answer}]}`);
    expect(losses).toEqual([]);
    const written = writeRequest(google, {
      model,
      messages: [user('hi'), call, toolResult(call.toolUses[0]!.id, 'x')],
    });
    expect(written.body).toBe(body);
  });

  it('asks newer models to continue instead of ending with their own message', () => {
    const history = [user('hi'), assistant('Once')];
    expect(writeRequest(google, { model: 'gemini-3.6-flash', messages: history }).losses).toMatchObject([
      { reason: 'prefill' },
    ]);
    expect(writeRequest(google, { model: 'gemini-3.5-flash-lite', messages: history }).losses).toHaveLength(1);
    expect(writeRequest(google, { model: 'gemini-3.5-flash', messages: history }).losses).toEqual([]);
  });
});
