import { type RequestParams, user } from '@skein/core';
import { describe, expect, test } from 'vitest';
import { APIS } from '../matrix/apis.ts';
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

    test.each(['auto', 'none', 'required', { name: 'lookup' }] as const)(
      'no choice of tools where there are none: %j',
      (toolChoice) => {
        const { body, losses, verdict } = new Talk()
          .say(user('Hello'))
          .write({ api, model }, { params: { toolChoice } });
        expect(verdict, body).toEqual({ refusal: undefined, warnings: [] });
        expect(body).not.toMatch(/tool_choice|toolConfig/);
        expect(losses).toMatchObject([{ kind: 'dropped', path: 'params.toolChoice', reason: 'parameter' }]);
      },
    );

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
