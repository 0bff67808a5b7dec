import { openaiChat, type RunOptions, run, user, writeRequest } from '@skein/core';
import { expect, test } from 'vitest';
import { OPTION_NAMES } from '../../src/run/options.ts';

/** Every name of the type, so that a new option without a place in the list does not compile here. */
const ALL: Readonly<Record<keyof RunOptions, true>> = {
  ...{ model: true, fallback: true, system: true, messages: true, tools: true, params: true, output: true },
  ...{ extraBody: true, stream: true, limits: true, stopWhen: true, signal: true, approvals: true, compaction: true },
  ...{
    checkpoints: true,
    outgoing: true,
    cache: true,
    cacheDiagnosis: true,
    warmUp: true,
    previous: true,
    strict: true,
    serverState: true,
    transport: true,
    openSocket: true,
    timeouts: true,
    retry: true,
  },
  ...{ costOf: true, modelLimits: true, refusals: true, observer: true, observePayloads: true, clock: true },
  ...{
    random: true,
    apiKey: true,
    baseUrl: true,
    account: true,
    apiVersion: true,
    extraHeaders: true,
    env: true,
    fetch: true,
  },
};

/** As somebody writes it who has no types. */
const misspelt = (options: object) => run({ model: 'openai-chat/gpt-5.5', messages: [user('Hi')], ...options }).result;

test('a misspelt option is not ignored', async () => {
  expect(OPTION_NAMES.split(' ').toSorted()).toEqual(Object.keys(ALL).toSorted());
  await expect(misspelt({ aproval: {} })).rejects.toThrow(/Unknown option "aproval"; use one of: model .* approvals /);
  await expect(misspelt({ limits: { step: 3 } })).rejects.toThrow(
    'Unknown limit "step"; use one of: steps tokens cost seconds',
  );
  await expect(misspelt({ unheardOfThing: 1 })).rejects.toThrow('Unknown option "unheardOfThing"');
});

test('a misspelt parameter is not ignored', () => {
  const params = { max_tokens: 10 } as object;
  expect(() => writeRequest(openaiChat, { model: 'gpt-5.5', messages: [user('Hi')], params })).toThrow(
    'Unknown parameter "max_tokens"; use one of: maxTokens ',
  );
});

test.each([Number.NaN, '3', null])('a limit of %j is not taken for no limit', async (steps) => {
  await expect(misspelt({ limits: { steps } })).rejects.toThrow('The limit "steps" must be a number');
});

test.each([
  [{ messages: undefined }, '"messages" must be a list of messages'],
  [{ messages: 'Hello' }, 'messages[0] is not a message; use user(...)'],
  [{ messages: [user('Hi'), { role: 'user', content: 'Hi' }] }, 'messages[1] is not a message'],
  [{ tools: [{ type: 'function', function: { name: 'w' } }] }, 'tools[0] is not a tool; make it with tool('],
  [{ tools: [{ name: 'w', parameters: {}, execute: () => 1 }] }, 'tools[0] is not a tool'],
  [{ model: undefined }, 'A model is "provider/model", or { provider, model }'],
  [{ model: { provider: 'openai', model: 'gpt-5.5' } }, 'A model is "provider/model"'],
  [{ fallback: [5] }, 'A model is "provider/model"'],
])('%j is told in words that help', async (options, words) => {
  await expect(misspelt(options)).rejects.toThrow(words);
});
