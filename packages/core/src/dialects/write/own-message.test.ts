import { expect, it } from 'vitest';
import { user } from '../../message/index.ts';
import { anthropicMessages, googleGenerateContent, writeRequest } from '../index.ts';
import { joinElement } from '../manifest.ts';
import { bedrockConverse } from '../more.ts';

it.each([
  [
    anthropicMessages,
    'claude-sonnet-4-5',
    (role: string, list: readonly string[]) => `{"role":"${role}","content":[${list}]}`,
    (id: string) => `{"type":"tool_use","id":"${id}","name":"${id}","input":{}}`,
    (id: string) => `{"type":"tool_result","tool_use_id":"${id}","content":"of ${id}"}`,
  ],
  [
    bedrockConverse,
    'us.amazon.nova-pro-v1:0',
    (role: string, list: readonly string[]) => `{"role":"${role}","content":[${list}]}`,
    (id: string) => `{"toolUse":{"toolUseId":"${id}","name":"${id}","input":{}}}`,
    (id: string) => `{"toolResult":{"toolUseId":"${id}","content":[{"text":"of ${id}"}]}}`,
  ],
  [
    googleGenerateContent,
    'gemini-2.5-flash',
    (role: string, list: readonly string[]) => `{"role":"${role === 'user' ? role : 'model'}","parts":[${list}]}`,
    (id: string) => `{"functionCall":{"id":"${id}","name":"${id}","args":{}}}`,
    (id: string) => `{"functionResponse":{"id":"${id}","name":"${id}","response":{"output":"of ${id}"}}}`,
  ],
])('results beside other members are not lost when they come late: %o', (dialect, model, message, call, result) => {
  const results = message('user', [result('b'), result('a')]).replace(/\}$/, ',"extra":1}');
  const raws = [
    message('assistant', [call('a'), call('b')]),
    message('user', ['{"text":"Wait","type":"text"}']),
    results,
  ];
  const { body, losses } = writeRequest(dialect, { model, messages: raws.map((raw) => dialect.parseMessage(raw)) });
  expect(body).toContain('of a');
  expect(body).toContain('of b');
  expect(losses.map(({ reason }) => reason)).not.toContain('tool-unanswered');
});

it.each([
  ['claude-sonnet-4-5-20250929', 'claude-sonnet-4-5', true],
  ['claude-sonnet-4-5-2025-09-29', 'claude-sonnet-4-5', true],
  ['claude-sonnet-4-5', 'anthropic/Claude-Sonnet-4-5@latest', true],
  ['claude-sonnet-4-5-20250929-v2', 'claude-sonnet-4-5-v2', false],
  ['claude-sonnet-4-5-2025-09', 'claude-sonnet-4-5', false],
  ['claude-sonnet-4-5', 'claude-sonnet-4-6', false],
])('thinking of %s goes back to %s: %s', (from, model, isSent) => {
  const thought = '{"type":"thinking","thinking":"hm","signature":"s"}';
  const { issuer } = anthropicMessages.home;
  const raw = `{"role":"assistant","content":[${thought},{"type":"text","text":"Yes"}]}`;
  const messages = [user('Hi'), anthropicMessages.parseMessage(raw, { issuer, model: from }), user('So?')];
  expect(writeRequest(anthropicMessages, { model, messages }).body.includes('"thinking"')).toBe(isSent);
});

it('an answer that holds a result is not taken apart like a question', () => {
  const raw =
    '{"role":"assistant","content":[{"type":"text","text":"Yes"},{"type":"tool_result","tool_use_id":"a","content":"x"}]}';
  const messages = [user('Hi'), anthropicMessages.parseMessage(raw), user('So?')];
  const { body } = writeRequest(anthropicMessages, { model: 'claude-sonnet-4-5', messages });
  expect(body).toContain('{"role":"assistant","content":[{"type":"text","text":"Yes"}');
});

it('a message of which nothing is left without its reasoning is a loss', () => {
  const { writer, home } = anthropicMessages;
  const splice: typeof writer.splice = (message, target, options) =>
    options?.dropBound ? [] : writer.splice(message, target, options);
  const thought = '{"type":"thinking","thinking":"hm","signature":"s"}';
  const raw = `{"role":"assistant","content":[${thought},{"type":"text","text":"Yes"}]}`;
  const { losses } = writeRequest(
    { ...anthropicMessages, writer: { ...writer, splice } },
    {
      model: 'claude-fable-5-1',
      messages: [user('Hi'), anthropicMessages.parseMessage(raw, { issuer: home.issuer, prefix: 'x' }), user('So?')],
    },
  );
  expect(losses).toEqual([{ kind: 'dropped', message: 1, path: '', reason: 'prefix-bound' }]);
});

it.each([
  ['{"role":"user","parts":{"text":"Hi"}}', ['{"role":"user","parts":{"text":"Hi"}}', 'So?']],
  ['{"role":"user","parts":5}', ['{"role":"user","parts":5}', 'So?']],
  ['{"role":"user"}', ['So?']],
])('%s does not become one turn with a question, because it has no list of parts', (raw, sent) => {
  const { home } = googleGenerateContent;
  const { manifest } = writeRequest(googleGenerateContent, {
    model: 'gemini-2.5-flash',
    provider: { ...home, policies: { ...home.policies, alternateRoles: true } },
    messages: [googleGenerateContent.parseMessage(raw), user('So?')],
  });
  const texts = manifest.elements.map((element) => joinElement(element, () => raw));
  expect(texts).toEqual(
    sent.map((text) => (text.startsWith('{') ? text : `{"role":"user","parts":[{"text":"${text}"}]}`)),
  );
});
