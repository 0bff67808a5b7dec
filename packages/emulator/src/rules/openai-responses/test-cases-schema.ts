import { expect } from 'vitest';
import type { RuleCase } from '../openai/test-cases.ts';
import { call, create, result, says, thinks, user } from './test-requests.ts';

/** The rules that look at one value at a time. */
export const schemaCases: readonly RuleCase[] = [
  {
    id: 'json',
    good: create('Hi'),
    bad: 'model=gpt-5',
    message: expect.stringContaining('We could not parse the JSON body of your request.'),
  },
  {
    id: 'tool-nested',
    good: create('Hi', { tools: [{ type: 'function', name: 'f', parameters: {}, strict: true }] }),
    bad: create('Hi', { tools: [{ type: 'function', function: { name: 'f', parameters: {} } }] }),
    message: "Missing required parameter: 'tools[0].name'.",
    param: 'tools[0].name',
    code: 'missing_required_parameter',
  },
  {
    id: 'unknown-param',
    good: create('Hi', { max_output_tokens: 99 }),
    bad: create('Hi', { max_tokens: 99 }),
    message: "Unknown parameter: 'max_tokens'.",
    param: 'max_tokens',
    code: 'unknown_parameter',
  },
  {
    id: 'invalid-type',
    good: create([user]),
    bad: create([{ role: 'user', content: { text: 'Hi' } }]),
    message:
      "Invalid type for 'input[0].content': expected one of an array of objects or string, but got an object instead.",
    param: 'input[0].content',
    code: 'invalid_type',
  },
  {
    id: 'item-type',
    good: create([user, { type: 'item_reference', id: 'msg_1' }]),
    bad: create([{ type: 'tool_result', call_id: 'call_1' }]),
    message: expect.stringMatching(/^Invalid value: 'tool_result'\. Supported values are: 'message', /),
    param: 'input[0]',
    code: 'invalid_value',
  },
  {
    id: 'role',
    good: create([{ role: 'developer', content: 'Be brief.' }, user]),
    bad: create([{ role: 'tool', content: 'ok' }]),
    message: "Invalid value: 'tool'. Supported values are: 'assistant', 'system', 'developer', and 'user'.",
    param: 'input[0].role',
    code: 'invalid_value',
  },
  {
    id: 'content-type',
    good: create([user, says(), { role: 'assistant', content: 'Plain' }, user]),
    bad: create([user, { role: 'assistant', content: [{ type: 'input_text', text: 'Hi' }] }]),
    message: "Invalid value: 'input_text'. Supported values are: 'output_text' and 'refusal'.",
    param: 'input[1].content[0]',
    code: 'invalid_value',
  },
  {
    id: 'unknown-item-param',
    good: create([user, thinks('rs_1'), { ...says('msg_1'), phase: 'final_answer' }, user]),
    bad: create([user, { ...thinks('rs_1'), status: null }, says('msg_1'), user]),
    message: "Unknown parameter: 'input[1].status'.",
    param: 'input[1].status',
    code: 'unknown_parameter',
  },
  {
    id: 'arguments-type',
    good: create([call({ arguments: '{"half":' }), result()]),
    bad: create([call({ arguments: { a: 1 } }), result()]),
    message: "Invalid type for 'input[0].arguments': expected a string, but got an object instead.",
    param: 'input[0].arguments',
    code: 'invalid_type',
  },
  {
    id: 'output-type',
    good: create([call(), result({ output: [{ type: 'input_text', text: 'ok' }] })]),
    bad: create([call(), result({ output: { ok: true } })]),
    message:
      "Invalid type for 'input[1].output': expected one of an array of objects or string, but got an object instead.",
    param: 'input[1].output',
    code: 'invalid_type',
  },
  {
    id: 'required',
    good: create([user, thinks('rs_1'), says('msg_1'), { type: 'image_generation_call', id: 'ig_1' }, user]),
    bad: create([user, { type: 'reasoning', id: 'rs_1' }, says('msg_1')]),
    message: "Missing required parameter: 'input[1].summary'.",
    param: 'input[1].summary',
    code: 'missing_required_parameter',
  },
  {
    id: 'tool-type',
    good: create('Hi', { tools: [{ type: 'web_search' }] }),
    bad: create('Hi', { tools: [{ type: 'browser' }] }),
    message: expect.stringMatching(/^Invalid value: 'browser'\. Supported values are: 'function', /),
    param: 'tools[0].type',
    code: 'invalid_value',
  },
  {
    id: 'call-name',
    good: create([call({ name: 'get_x-1' }), result()]),
    bad: create([call({ name: 'functions.f' }), result()]),
    message:
      "Invalid 'input[0].name': string does not match pattern. Expected a string that matches the pattern '^[a-zA-Z0-9_-]+$'.",
    param: 'input[0].name',
    code: 'invalid_value',
  },
];
