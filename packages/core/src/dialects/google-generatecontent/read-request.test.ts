import { describe, expect, it } from 'vitest';
import { ProtocolError } from '../reply.ts';
import { readRequest } from './index.ts';

describe('readRequest', () => {
  it('takes a request apart without touching its texts', () => {
    const contents = ['{"role":"user","parts":[{"text":"a"}]}', '{ "parts":[{"text":"b"}],"role":"model" }'];
    const body = `{"system_instruction":{"parts":[{"text":"s"}]},"contents":[${contents.join(' ,')}],"generation_config":{"max_output_tokens":9,"topK": 4.0,"temperature":0.1,"thinkingConfig":{"thinking_level":"LOW","includeThoughts":true},"stopSequences":["x"]},"toolConfig":{"functionCallingConfig":{"mode":"ANY"}},"labels":{"a" : "b"}}`;
    expect(readRequest(body)).toEqual({
      model: undefined,
      system: '{"role":"system","content":{"parts":[{"text":"s"}]}}',
      messages: contents,
      tools: [],
      params: { maxTokens: 9, temperature: 0.1, stop: ['x'], toolChoice: 'required' },
      rest: {
        generation_config: '{"topK": 4.0,"thinkingConfig":{"thinking_level":"LOW","includeThoughts":true}}',
        labels: '{"a" : "b"}',
      },
    });
  });

  it('leaves what it has no word for where it is', () => {
    const config = '{"functionCallingConfig":{"mode":"VALIDATED"}}';
    const seed = '{"seed":2512292042121000001,"thinkingConfig":{}}';
    const read = readRequest(`{"contents":{"parts":{"text":"a"}},"toolConfig":${config},"generationConfig":${seed}}`);
    expect(read).toMatchObject({
      messages: ['{"parts":{"text":"a"}}'],
      params: {},
      rest: { toolConfig: config, generationConfig: seed },
    });
  });

  it('reads levels, budgets and choices that say nothing more', () => {
    const read = (generation: string, tools: string) =>
      readRequest(
        `{"contents":[],"generationConfig":{"thinkingConfig":${generation}},"toolConfig":{"functionCallingConfig":${tools}}}`,
      );
    expect(read('{"thinking_level":"LOW"}', '{"mode":"ANY"}')).toMatchObject({
      params: { reasoning: { effort: 'low' }, toolChoice: 'required' },
      rest: {},
    });
    expect(read('{"thinkingBudget":7}', '{"mode":"NONE"}')).toMatchObject({
      params: { reasoning: { budget: 7 }, toolChoice: 'none' },
      rest: {},
    });
  });

  it('reads function declarations with JSON Schema, and keeps others in their own words', () => {
    const tools = [
      '{"functionDeclarations":[{"name":"f","description":"d","parameters_json_schema":{"type": "object"}},{"name":"g","parametersJsonSchema":{}}]}',
      '{"function_declarations":{"name":"h","parameters":{"type":"OBJECT","properties":{"type":{"type":"STRING","nullable":true}}}}}',
      '{"functionDeclarations":[{"name":"i","behavior":"NON_BLOCKING"}]}',
      '{"googleSearch":{}}',
    ];
    const dialect = 'google-generatecontent';
    expect(readRequest(`{"contents":[],"tools":[${tools.join(',')}]}`).tools).toEqual([
      { name: 'f', description: 'd', parameters: '{"type": "object"}' },
      { name: 'g', parameters: '{}' },
      ...tools.slice(1).map((native) => ({ dialect, native })),
    ]);
  });

  it.each(['[]', '{}', '{"messages":[]}'])('is no request: %s', (body) => {
    expect(() => readRequest(body)).toThrow(ProtocolError);
  });
});
