import { assistant, googleGenerateContent, type Message, tool, toolResult, user, writeRequest } from '@skein/core';
import { judgeGoogleGenerateContent, says } from '@skein/emulator';
import { describe, expect, test } from 'vitest';
import { ask, bodies, expectAccepted, google, start } from '../run/kit.ts';

const outputs = (body: string): unknown[] =>
  JSON.parse(body)
    .contents.flatMap(({ parts }: { parts: { functionResponse?: { response: { output: unknown } } }[] }) => parts)
    .flatMap(
      (part: { functionResponse?: { response: { output: unknown } } }) => part.functionResponse?.response.output ?? [],
    );

const write = (messages: readonly Message[], model = 'gemini-2.5-flash') => {
  const written = writeRequest(googleGenerateContent, { model, messages });
  return { ...written, verdict: judgeGoogleGenerateContent({ body: written.body, model }) };
};

const part = (city: string) => `{"functionCall":{"name":"weather","args":{"city":"${city}"}}}`;
/** Gemini 2.5 gives no ids: nothing but their order tells which result belongs to which of two calls of one tool. */
const nameless = googleGenerateContent.parseMessage(`{"role":"model","parts":[${part('Paris')},${part('Oslo')}]}`);
const [paris, oslo] = nameless.toolUses.map(({ id }) => id) as [string, string];
const moved = [2, 3].map((message) => expect.objectContaining({ kind: 'rewritten', message, reason: 'reordered' }));

describe('Gemini gets parallel results in the order of the calls', () => {
  test('of calls without ids, though they arrived in another', () => {
    const { body, losses, verdict } = write([
      user('Where?'),
      nameless,
      toolResult(oslo, 'rain in Oslo'),
      toolResult(paris, 'sun in Paris'),
    ]);
    expect(outputs(body)).toEqual(['sun in Paris', 'rain in Oslo']);
    expect(losses.toSorted((a, b) => a.message - b.message)).toEqual(moved);
    expect(verdict).toEqual({ refusal: undefined, warnings: [] });
  });

  test('of calls that were written by hand', () => {
    const call = (id: string, name: string) =>
      ({ type: 'tool-use', id, name, parameters: {}, rawParameters: '{}' }) as const;
    const both = assistant([call('call_1', 'first'), call('call_2', 'second')]);
    const history = [user('Where?'), both, toolResult('call_2', 'two'), toolResult('call_1', 'one')];
    for (const model of ['gemini-2.5-flash', 'gemini-3-pro'])
      expect(outputs(write(history, model).body)).toEqual(['one', 'two']);
  });

  test('in order they are sent as they are, and nothing is told', () => {
    const { body, losses } = write([user('Where?'), nameless, toolResult(paris, 'sun'), toolResult(oslo, 'rain')]);
    expect(outputs(body)).toEqual(['sun', 'rain']);
    expect(losses).toEqual([]);
  });

  test.each([true, false])('of a run in which the first call waited for approval, stream: %s', async (stream) => {
    const emulator = await start();
    const calls = ['Paris', 'Oslo'].map((city) => ({ type: 'tool-use', name: 'weather', input: { city } }) as const);
    emulator.script(google.protocol, [{ blocks: calls }, says('Done.')]);
    const weather = tool({
      name: 'weather',
      input: { type: 'object', properties: { city: { type: 'string' } } },
      needsApproval: ({ city }: { readonly city?: unknown }) => city === 'Paris',
      execute: ({ city }) => `weather of ${city}`,
    });
    const api = { ...google, model: 'gemini-2.5-flash' };
    const messages: Message[] = [user('Where?')];
    const paused = await ask(emulator, api, { messages, tools: [weather], stream }).result;
    messages.push(...paused.messages);
    const approvals = { [paused.pending[0]!.id]: 'approve' } as const;
    await ask(emulator, api, { messages, tools: [weather], stream, approvals }).result;
    expect(outputs(bodies(emulator).at(-1)!)).toEqual(['weather of Paris', 'weather of Oslo']);
    expectAccepted(emulator);
  });
});

test('results that go before words which stood before them: that the order is lost is told', () => {
  const { losses } = write([
    user('Where?'),
    nameless,
    user('Hurry'),
    toolResult(paris, 'sun'),
    toolResult(oslo, 'rain'),
  ]);
  expect(losses.filter(({ reason }) => reason === 'reordered').map(({ message }) => message)).toEqual([3, 4]);
});
