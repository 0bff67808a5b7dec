import { describe, expect, it } from 'vitest';
import { anthropicMessagesRules, judgeAnthropicMessages } from './judge.ts';
import { betaCases } from './test-cases-beta.ts';
import { conversationCases } from './test-cases-conversation.ts';
import { schemaCases, settingsCases } from './test-cases-request.ts';
import {
  assistant,
  hello,
  OLD,
  says,
  search,
  send,
  text,
  thinking,
  toolResult,
  toolUse,
  user,
} from './test-requests.ts';

const cases = { ...schemaCases, ...settingsCases, ...conversationCases, ...betaCases };

describe('Anthropic request rules', () => {
  it('has a case for every rule', () => {
    expect(Object.keys(cases).sort()).toEqual([...anthropicMessagesRules].sort());
  });

  it.each(Object.entries(cases))('%s', (id, { good, bad, message, status = 400, unsure, code }) => {
    expect(judgeAnthropicMessages(good)).toEqual({ refusal: undefined, warnings: [] });
    const { refusal, warnings } = judgeAnthropicMessages(bad);
    if (unsure) {
      expect({ refusal, warnings }).toEqual({ refusal: undefined, warnings: [`anthropic-messages.${id}`] });
      return;
    }
    expect(refusal).toMatchObject({ rule: `anthropic-messages.${id}`, status });
    if (typeof message === 'string') expect(refusal?.message).toBe(message);
    else expect(refusal?.message).toMatch(message);
    expect(JSON.parse(refusal?.body ?? '')).toEqual({
      type: 'error',
      error: {
        type: status === 401 ? 'authentication_error' : 'invalid_request_error',
        message: refusal?.message,
        ...(code && { details: { error_code: code } }),
      },
      request_id: expect.stringMatching(/^req_011C\w{20}$/),
    });
  });
});

describe('Anthropic details', () => {
  const rule = (...request: Parameters<typeof judgeAnthropicMessages>) =>
    judgeAnthropicMessages(...request).refusal?.rule.replace('anthropic-messages.', '');

  it('accepts a conversation that starts with the assistant', () => {
    expect(rule(says(assistant(text('hi')), hello))).toBeUndefined();
  });

  it('looks inside server tool results for extra fields', () => {
    const result = {
      type: 'tool_search_tool_result',
      tool_use_id: 'srvtoolu_1',
      content: { type: 'tool_search_tool_search_result', tool_references: [], note: 1 },
    };
    const call = { type: 'server_tool_use', id: 'srvtoolu_1', name: 'tool_search_tool_bm25', input: {} };
    const request = says(hello, assistant(call, result, text('hi')), hello);
    const path = 'tool_search_tool_result.content.tool_search_tool_search_result.note';
    expect(judgeAnthropicMessages(request).refusal?.message).toBe(
      `messages.1.content.1.${path}: Extra inputs are not permitted`,
    );
    const memory = { issued: () => undefined, stored: () => false, ownField: (own: string) => own === path };
    expect(rule({ ...request, memory })).toBeUndefined();
    expect(rule({ ...request, memory, settings: { refuseOwnFields: true } })).toBe('extra-block');
  });

  it('lets a program call client tools over several rounds', () => {
    const caller = { type: 'code_execution_20260120', tool_id: 'srvtoolu_1' };
    const run = { ...search('srvtoolu_1'), name: 'code_execution' };
    const rounds = [hello, assistant(run, toolUse('a', { caller })), user(toolResult('a'))];
    expect(rule(says(...rounds, assistant(toolUse('b', { caller })), user(toolResult('b'))))).toBeUndefined();
    expect(rule(says(...rounds, assistant(toolUse('b')), user(toolResult('b'))))).toBe('server-tool-unanswered');
  });

  it('refuses an empty or missing signature without remembering anything', () => {
    const echo = (signature: string | undefined) =>
      says(hello, assistant(thinking('s', { signature }), text('hi')), hello);
    expect(judgeAnthropicMessages(echo('')).refusal?.message).toMatch(/Invalid `signature`/);
    expect(judgeAnthropicMessages(echo(undefined)).refusal?.message).toBe(
      'messages.1.content.0.thinking.signature: Field required',
    );
  });

  it('takes the model from the path on Bedrock', () => {
    const body = { model: undefined, anthropic_version: 'bedrock-2023-05-31' };
    expect(rule(send(body))).toBe('required');
    expect(rule(send(body, { model: `eu.anthropic.${OLD}-20250929-v1:0` }))).toBeUndefined();
  });

  it('takes an unknown model for the newest one', () => {
    expect(rule(send({ model: 'claude-next', messages: [hello, assistant(text('hi'))] }))).toBe('prefill');
  });
});
