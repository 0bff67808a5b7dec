import { describe, expect, it } from 'vitest';
import { anthropicMessages, writeRequest } from '../dialects/index.ts';
import { user } from '../message/index.ts';
import { RefusalMemory, refusedFields } from './refused-fields.ts';

const ANTHROPIC = JSON.stringify({
  messages: [
    { role: 'user', content: 'hi' },
    {
      role: 'assistant',
      content: [
        { type: 'tool_use', id: 't', name: 'f', input: {}, caller: 'x', text: 'y', cache_control: {} },
        { type: 'tool_search_tool_result', content: { type: 'error', error_message: 'm' } },
      ],
    },
    { role: 'user', content: [{ type: 'text', text: 'a', cache_control: {} }] },
  ],
});
const CHAT = JSON.stringify({
  messages: [
    { role: 'user', content: 'hi' },
    { role: 'assistant', content: 'a', reasoning_content: 'r', reasoning: 's', tool_calls: [{ id: 'c', name: null }] },
  ],
});
const RESPONSES = JSON.stringify({
  input: [
    { role: 'user', content: 'hi' },
    { type: 'message', foo: 1, content: [{ type: 'output_text', text: 'a', logprobs: [] }] },
  ],
});
const GOOGLE = JSON.stringify({
  contents: [{ role: 'model', parts: [{ text: 'a', foo: 1 }, { functionCall: { name: 'f', extraThing: 1 } }] }],
});

const said = (message: string) => JSON.stringify({ error: { message, type: 'invalid_request_error' } });

describe('a refused field is found in the real wording of', () => {
  it.each([
    [
      'Anthropic',
      ANTHROPIC,
      said('messages.1.content.0.tool_use.caller: Extra inputs are not permitted'),
      ['content.*.caller'],
    ],
    [
      'Anthropic, inside a result',
      ANTHROPIC,
      said(
        'messages.1.content.1.tool_search_tool_result.content.RequestToolSearchToolResultError.error_message: Extra inputs are not permitted',
      ),
      ['content.*.content.error_message'],
    ],
    ['OpenAI Chat', CHAT, said("Unknown parameter: 'messages[1].reasoning_content'."), ['reasoning_content']],
    ['OpenAI Responses', RESPONSES, said("Unknown parameter: 'input[1].foo'."), ['foo']],
    [
      'OpenAI Responses, in the content',
      RESPONSES,
      said("Unknown parameter: 'input[1].content[0].logprobs'."),
      ['content.*.logprobs'],
    ],
    [
      'Google, which says it twice',
      GOOGLE,
      JSON.stringify({
        error: {
          code: 400,
          message: `Invalid JSON payload received. Unknown name "foo" at 'contents[0].parts[0]': Cannot find field.\nInvalid JSON payload received. Unknown name "extra_thing" at 'contents[0].parts[1].function_call': Cannot find field.`,
          details: [
            {
              fieldViolations: [
                {
                  field: 'contents[0].parts[0]',
                  description: `Invalid JSON payload received. Unknown name "foo" at 'contents[0].parts[0]': Cannot find field.`,
                },
              ],
            },
          ],
        },
      }),
      ['parts.*.foo', 'parts.*.functionCall.extraThing'],
    ],
    [
      'Groq',
      CHAT,
      said(
        "'messages.1' : for 'role:assistant' the following must be satisfied[('messages.1' : property 'reasoning' is unsupported, did you mean 'role'?)]",
      ),
      ['reasoning'],
    ],
    ['Groq, by model', CHAT, said('messages[1].reasoning: reasoning is not supported with this model'), ['reasoning']],
    [
      'Cerebras',
      CHAT,
      JSON.stringify({
        message:
          "messages.1.assistant.reasoning_content: property 'messages.1.assistant.reasoning_content' is unsupported",
        code: 'wrong_api_format',
      }),
      ['reasoning_content'],
    ],
  ])('%s', (_, body, error, expected) => {
    expect(refusedFields(400, error, body)).toEqual(expected);
  });

  it('Mistral', () => {
    const detail = {
      type: 'extra_forbidden',
      loc: ['body', 'messages', 1, 'assistant', 'reasoning_content'],
      input: 'r',
    };
    for (const error of [{ detail: [detail] }, { object: 'error', message: { detail: [detail] } }])
      expect(refusedFields(422, JSON.stringify(error), CHAT)).toEqual(['reasoning_content']);
  });
});

describe('nothing is left out', () => {
  it.each([
    ['for a parameter of the request', CHAT, "Unknown parameter: 'reasoning'."],
    ['for a field that the request does not hold', CHAT, "Unknown parameter: 'messages[1].other'."],
    ['for a message that is not there', CHAT, "Unknown parameter: 'messages[7].reasoning'."],
    ['that is text elsewhere', ANTHROPIC, 'messages.1.content.0.tool_use.text: Extra inputs are not permitted'],
    [
      'that other blocks may have',
      ANTHROPIC,
      'messages.1.content.0.tool_use.cache_control: Extra inputs are not permitted',
    ],
    ['for another reason', ANTHROPIC, 'messages.1.content.0.tool_use.id: String should match pattern'],
    ['for a name in a call', CHAT, "Unknown parameter: 'messages[1].tool_calls[0].name'."],
  ])('%s', (_, body, message) => {
    expect(refusedFields(400, said(message), body)).toEqual([]);
  });

  it('when the status is another', () => {
    expect(refusedFields(500, said("Unknown parameter: 'messages[1].reasoning'."), CHAT)).toEqual([]);
  });
});

it('what was refused is left out of the next request, reported, and remembered for that model', () => {
  const { home } = anthropicMessages;
  const memory = new RefusalMemory();
  const reply = anthropicMessages.parseMessage(
    '{"role":"assistant","content":[{"type":"text","text":"a","shiny":1}]}',
    { model: 'claude-opus-5' },
  );
  const request = { model: 'claude-opus-5', messages: [user('q'), reply, user('r')] };
  const { body } = writeRequest(anthropicMessages, request);
  const error = said('messages.1.content.0.text.shiny: Extra inputs are not permitted');
  const fields = refusedFields(400, error, body);
  expect(memory.learn(home, 'claude-opus-5', fields)).toBe(true);
  expect(memory.learn(home, 'claude-opus-5', fields)).toBe(false);
  const again = writeRequest(anthropicMessages, { ...request, provider: memory.apply(home, 'claude-opus-5') });
  expect(again.body).not.toContain('shiny');
  expect(again.losses).toMatchObject([
    { kind: 'dropped', message: 1, path: 'content[0].shiny', reason: 'refused-field' },
  ]);
  expect(memory.apply(home, 'claude-sonnet-5')).toBe(home);
});
