import { openaiChat, type RequestParams, system, user } from '@skein/core';
import { describe, expect, test } from 'vitest';
import { APIS, anthropic, chat } from '../matrix/apis.ts';
import { Talk } from '../matrix/talk.ts';

const TOOLS = [{ name: 'lookup', description: 'Looks it up', parameters: { type: 'object', properties: {} } }];

const PARAMETERS: readonly RequestParams[] = [
  {},
  { maxTokens: 100 },
  { temperature: 1, topP: 0.5, stop: ['END'], seed: 7 },
  { stream: true },
  { toolChoice: 'auto', parallelToolCalls: false },
  { toolChoice: 'none' },
  { reasoning: { effort: 'high' } },
  { reasoning: { effort: 'none' } },
  { maxTokens: 4000, reasoning: { budget: 2000 } },
  { reasoning: { budget: 2000, effort: 'low' } },
];

describe.each(APIS.flatMap((api) => api.models.map((model) => ({ api, model, id: api.id }))))(
  '$model ($id) takes',
  ({ api, model }) => {
    // Reasoning models of OpenAI take no temperature; that is a choice of the caller.
    const taken = PARAMETERS.filter((params) => params.temperature === undefined || !model.startsWith('gpt-5'));

    const choices = api.always?.tools ? [] : (['auto', 'none', 'required', { name: 'lookup' }] as const);
    test.each(choices)('no choice of tools where there are none: %j', (toolChoice) => {
      const { body, losses, verdict } = new Talk().say(user('Hello')).write({ api, model }, { params: { toolChoice } });
      expect(verdict, body).toEqual({ refusal: undefined, warnings: [] });
      expect(body).not.toMatch(/tool_choice|toolConfig/);
      expect(losses).toMatchObject([{ kind: 'dropped', path: 'params.toolChoice', reason: 'parameter' }]);
    });

    test.each(taken)('%j', (params) => {
      const sent = new Talk().say(user('Hello')).write({ api, model }, { params, tools: TOOLS, system: 'Be brief.' });
      expect(sent.verdict, sent.body).toEqual({ refusal: undefined, warnings: [] });
    });

    test('the same without tools', () => {
      for (const params of taken) {
        const sent = new Talk().say(user('Hello')).write({ api, model }, { params });
        expect(sent.verdict, sent.body).toEqual({ refusal: undefined, warnings: [] });
      }
    });
  },
);

describe.each(['claude-sonnet-4-5', 'claude-opus-4-8', 'claude-fable-5-1'])('beside thinking of %s', (model) => {
  const target = { api: anthropic, model };
  const reasoning = model === 'claude-sonnet-4-5' ? { budget: 2000 } : { effort: 'high' };
  const write = (params: RequestParams, tools = TOOLS) =>
    new Talk().say(user('Hello')).write(target, { params: { maxTokens: 4000, ...params }, tools });

  test.each<[string, RequestParams]>([
    ['temperature', { temperature: 0.2 }],
    ['topP', { topP: 0.5 }],
  ])('%s is left out, and that is told', (name, given) => {
    const { body, losses, verdict } = write({ reasoning, ...given });
    expect(verdict, body).toEqual({ refusal: undefined, warnings: [] });
    expect(body).toContain('"thinking":');
    expect(losses).toEqual([
      expect.objectContaining({ kind: 'dropped', message: -1, path: `params.${name}`, reason: 'parameter' }),
    ]);
  });

  test('what is taken with it stays: a temperature of 1, a high topP', () => {
    const { body, losses } = write({ reasoning, temperature: 1 });
    expect(body).toContain('"temperature":1');
    expect(losses).toEqual([]);
    expect(write({ reasoning, topP: 0.95 }).losses).toEqual([]);
  });

  test('without thinking, both stay', () => {
    const { body, losses } = write({ temperature: 0.2 });
    expect(body).toContain('"temperature":0.2');
    expect(losses).toEqual([]);
  });

  test.each(['required', { name: 'lookup' }] as const)(
    'a forced tool (%j) is taken in one way or another',
    (toolChoice) => {
      const { body, losses, verdict } = write({ reasoning, toolChoice });
      expect(verdict, body).toEqual({ refusal: undefined, warnings: [] });
      const isForced = /"tool_choice":\{"type":"(?:any|tool)"/.test(body);
      // Where the model takes no forced tool at all, the choice goes; else thinking by a budget does.
      expect(isForced).toBe(model !== 'claude-fable-5-1');
      expect(losses.map(({ path }) => path)).toEqual(
        model === 'claude-opus-4-8' ? [] : [isForced ? 'params.reasoning' : 'params.toolChoice'],
      );
    },
  );
});

describe('o1-mini takes no system text', () => {
  const target = { api: chat, model: 'o1-mini' };
  const own = openaiChat.parseMessage('{"role":"system","content":"Be kind."}');
  test.each([
    ['given with the request', { system: 'Be brief.' }, [user('Hi')]],
    ['at the front', {}, [system('Be brief.'), user('Hi')]],
    ['inside the conversation', {}, [user('Hi'), system('Be brief.')]],
    ["in this API's own words", {}, [own, user('Hi'), own]],
  ])('%s it is sent as user text, and that is told', (_, options, messages) => {
    const { body, losses, verdict } = new Talk().write(target, options, messages);
    expect(verdict, body).toEqual({ refusal: undefined, warnings: [] });
    expect(body).toMatch(/Be (?:brief|kind)\./);
    expect(body).not.toMatch(/"role":"(?:system|developer)"/);
    expect(losses.map(({ kind, reason }) => `${kind} ${reason}`)).toContain('rewritten inline-system');
  });
});
