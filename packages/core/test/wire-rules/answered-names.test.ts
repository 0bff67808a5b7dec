import {
  anthropicMessages,
  assistant,
  diffPrefix,
  type Message,
  MessageList,
  openaiChat,
  parseModel,
  user,
  writeRequest,
} from '@skein/core';
import { says } from '@skein/emulator';
import { describe, expect, test } from 'vitest';
import { anthropic, ask, bodies, expectAccepted, start, weather } from '../run/kit.ts';

const { provider: openrouter } = parseModel('openrouter/any');
const DETAILS = '[{"type":"reasoning.text","text":"hm","signature":"c2ln","format":"anthropic-claude-v1","index":0}]';
const MESSAGE = `{"role":"assistant","content":"Yes","reasoning":"hm","reasoning_details":${DETAILS}}`;

/** A reply of OpenRouter: asked by one name, answered under another, by one of the providers behind it. */
function routed(asked: string | undefined, answered: string, upstream: string, isStreamed = false): Message {
  const origin = { issuer: openrouter.issuer, ...(asked !== undefined && { model: asked }) };
  const about = `"id":"gen-1","provider":"${upstream}","model":"${answered}"`;
  if (!isStreamed)
    return openaiChat.readResponse(`{${about},"choices":[{"message":${MESSAGE},"finish_reason":"stop"}]}`, origin)
      .message;
  const reader = openaiChat.readStream(origin);
  reader.push(undefined, `{${about},"choices":[{"index":0,"delta":${MESSAGE}}]}`);
  reader.push(undefined, `{${about},"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}`);
  reader.push(undefined, '[DONE]');
  return reader.finish().message;
}

const CLAUDE = 'anthropic/claude-sonnet-4.5';
const CLAUDE_ANSWERS = 'anthropic/claude-4.5-sonnet-20250929';
const GEMINI = 'google/gemini-3-pro';

const write = (model: string, messages: readonly Message[], more = {}) =>
  writeRequest(openaiChat, {
    model,
    provider: openrouter,
    messages: [user('One?'), ...messages, user('Two?')],
    ...more,
  });
const dropped = (losses: readonly { kind: string; reason: string; message: number }[]) =>
  losses.filter(({ kind }) => kind === 'dropped').map(({ reason, message }) => `${message} ${reason}`);

describe('reasoning goes back to the model that was asked, whatever name it answers under', () => {
  test.each([false, true])('OpenRouter, streamed: %s', (isStreamed) => {
    const reply = routed(CLAUDE, CLAUDE_ANSWERS, 'Anthropic', isStreamed);
    expect(reply.origin).toMatchObject({ model: CLAUDE_ANSWERS, requestedModel: CLAUDE });
    const [reloaded] = [...MessageList.fromJSON(JSON.stringify(new MessageList([reply])))];
    for (const message of [reply, reloaded!]) {
      expect(write(CLAUDE, [message]).body).toContain(DETAILS);
      expect(write(CLAUDE_ANSWERS, [message]).body).toContain(DETAILS);
      expect(dropped(write('anthropic/claude-opus-4.5', [message]).losses)).toEqual(['1 model-bound']);
    }
  });

  test.each([CLAUDE, 'anthropic/claude-sonnet-4-5', `${CLAUDE}:thinking`])(
    'OpenRouter, a reply that was stored without the name that was asked (%s)',
    (model) => {
      expect(write(model, [routed(undefined, CLAUDE_ANSWERS, 'Anthropic')]).body).toContain(DETAILS);
    },
  );

  test.each<[string, string]>([
    ['claude-sonnet-4-0', 'claude-sonnet-4-20250514'],
    ['claude-opus-4-0', 'claude-opus-4-20250514'],
    ['my-deployment', 'claude-opus-4-20250514'],
  ])('%s answers as %s: it goes on thinking in the second step', async (asked, answered) => {
    const emulator = await start();
    const thinks = { type: 'thinking', text: 'Oslo.' } as const;
    const blocks = [thinks, { type: 'tool-use', name: 'get_weather', input: { city: 'Oslo' } }] as const;
    emulator.script(anthropic.protocol, [{ blocks, model: answered }, says('Cold.', { model: answered })]);
    const api = { ...anthropic, model: asked };
    const params = { maxTokens: 4000, reasoning: asked.startsWith('claude') ? { budget: 2000 } : { effort: 'high' } };
    const { steps } = await ask(emulator, api, { messages: [user('How is it?')], tools: [weather], params }).result;
    const [first, second] = bodies(emulator);
    expect(second).toContain('"signature":"');
    expect(JSON.parse(second!).thinking).toEqual(JSON.parse(first!).thinking);
    expect(steps[1]!.losses).toEqual([]);
    expectAccepted(emulator);
  });

  test.each<[string, string]>([
    ['claude-sonnet-4-0', 'claude-sonnet-4-20250514'],
    ['claude-sonnet-4-20250514', 'claude-sonnet-4-0'],
  ])('%s knows what %s wrote, also where only the answered name was stored', (asked, answered) => {
    const raw =
      '{"role":"assistant","content":[{"type":"thinking","thinking":"hm","signature":"c2ln"},{"type":"text","text":"Yes"}]}';
    const reply = anthropicMessages.parseMessage(raw, { model: answered });
    const { losses } = writeRequest(anthropicMessages, { model: asked, messages: [user('One?'), reply, user('Two?')] });
    expect(losses).toEqual([]);
  });
});

describe("OpenRouter's reasoning belongs to the upstream that wrote it", () => {
  const studio = routed(GEMINI, GEMINI, 'Google AI Studio');
  const vertex = routed(GEMINI, GEMINI, 'Google');
  const routing = (body: string) => JSON.parse(body).provider;

  test('the request goes to that upstream, and that is told', () => {
    const { body, losses } = write(GEMINI, [studio]);
    expect(body).toContain(DETAILS);
    expect(routing(body)).toEqual({ order: ['google-ai-studio'] });
    expect(losses).toEqual([
      expect.objectContaining({ kind: 'synthesised', message: -1, path: 'params.provider', reason: 'upstream-bound' }),
    ]);
    expect(routing(write(GEMINI, [vertex]).body)).toEqual({ order: ['google-vertex'] });
  });

  test('of two upstreams, the last one reads its own', () => {
    const { body, losses } = write(GEMINI, [studio, user('And?'), vertex]);
    expect(body.split(DETAILS)).toHaveLength(2);
    expect(routing(body)).toEqual({ order: ['google-vertex'] });
    expect(dropped(losses)).toEqual(['1 upstream-bound']);
  });

  test.each([{ only: ['google-vertex'] }, { order: ['google-vertex'] }])(
    'where the caller names another (%j), reasoning is left out, and the routing stays as it is',
    (provider) => {
      const { body, losses } = write(GEMINI, [studio], { extra: { provider } });
      expect(body).not.toContain(DETAILS);
      expect(routing(body)).toEqual(provider);
      expect(dropped(losses)).toEqual(['1 upstream-bound']);
    },
  );

  test('where the caller names its own, or none, it is sent', () => {
    for (const provider of [{ only: ['Google AI Studio'] }, { sort: 'price' }]) {
      const { body, losses } = write(GEMINI, [studio], { extra: { provider } });
      expect(body).toContain(DETAILS);
      expect(routing(body)).toEqual(provider);
      expect(losses).toEqual([]);
    }
  });

  test('what was sent before is not sent again for another upstream', () => {
    const first = write(GEMINI, [studio]);
    const messages = [user('One?'), studio, user('Two?'), vertex, user('Three?')];
    const next = writeRequest(openaiChat, { model: GEMINI, provider: openrouter, messages, previous: first.manifest });
    expect(next.body.split(DETAILS)).toHaveLength(2);
    expect(dropped(next.losses)).toEqual(['1 upstream-bound']);
  });

  test('the first reasoning of an upstream leaves what was sent before it as it was', () => {
    const history = [user('One?'), assistant('It is')];
    const about = { model: GEMINI, provider: openrouter };
    const first = writeRequest(openaiChat, { ...about, messages: history });
    const messages = [...history, studio, user('Two?')];
    const next = writeRequest(openaiChat, { ...about, messages, previous: first.manifest });
    expect(first.body).toContain('Continue.');
    expect(diffPrefix(first.body, next.body)).toBeUndefined();
  });

  test('without opaque reasoning nothing is asked of the routing', () => {
    const plain = openaiChat.parseMessage('{"role":"assistant","content":"Yes"}', { issuer: openrouter.issuer });
    expect(routing(write(GEMINI, [plain]).body)).toBeUndefined();
  });
});
