import { describe, expect, test } from 'vitest';
import type { Origin } from '../../message/index.ts';
import { ProtocolError } from '../reply.ts';
import { view } from './read-response.ts';

const origin: Origin = { dialect: 'anthropic-messages', issuer: 'api.anthropic.com' };
const cut: Origin = { ...origin, cut: true };
const assistant = (...blocks: string[]) => `{"role":"assistant","content":[${blocks.join(',')}]}`;
const user = (...blocks: string[]) => `{"role":"user","content":[${blocks.join(',')}]}`;

const text = '{"type":"text","text":"hi"}';
const signed = '{"type":"thinking","thinking":"hm","signature":"c2ln"}';
const call = '{"type":"tool_use","id":"toolu_1","name":"f","input":{"n":12345678901234567890}}';
const answer = '{"type":"tool_result","tool_use_id":"toolu_1","content":"42"}';

describe('blocks', () => {
  test('numbers that a double cannot hold stay exact in the arguments', () => {
    const [block] = view(assistant(call), origin).content;
    expect(block).toMatchObject({ type: 'tool-use', rawParameters: '{"n":12345678901234567890}' });
  });

  test('unknown and server-side blocks are shown with their exact text', () => {
    const native = '{"type":"server_tool_use", "id":"srvtoolu_1","name":"web_search","input":{"q":1.0}}';
    expect(view(assistant(native, '7', '{"type":"novel"}'), origin).content).toEqual([
      { type: 'unknown', native },
      { type: 'unknown', native: '7' },
      { type: 'unknown', native: '{"type":"novel"}' },
    ]);
  });

  test('reasoning is redacted only where there is nothing to read', () => {
    const blocks = view(assistant(signed, '{"type":"redacted_thinking","data":"x"}', text), origin).content;
    expect(blocks.slice(0, 2)).toEqual([
      { type: 'reasoning', text: 'hm', redacted: false },
      { type: 'reasoning', text: '', redacted: true },
    ]);
  });

  test('citations keep their native text', () => {
    const citation =
      '{"type":"web_search_result_location","url":"https://a.example","title":"A","cited_text":"b","x":1.0}';
    const [block] = view(assistant(`{"type":"text","text":"b","citations":[${citation}]}`), origin).content;
    expect(block).toEqual({
      type: 'text',
      text: 'b',
      citations: [{ url: 'https://a.example', title: 'A', quote: 'b', native: citation }],
    });
  });

  test('a text document is media with its text as bytes', () => {
    const source = '{"type":"text","media_type":"text/plain","data":"é"}';
    expect(view(user(`{"type":"document","source":${source},"title":"t"}`), origin).content).toEqual([
      { type: 'media', mediaType: 'text/plain', source: { kind: 'base64', data: 'w6k=' }, name: 't' },
    ]);
  });

  test('a call without an id gets one that is the same every time', () => {
    const raw = assistant('{"type":"tool_use","name":"f","input":{}}');
    const [block] = view(raw, origin).content;
    expect(block).toMatchObject({ id: expect.stringMatching(/^skn_[0-9a-f]{12}_0$/) });
    expect(view(raw, origin).content).toEqual([block]);
  });
});

describe('roles', () => {
  test('a user message of tool results alone is a tool message', () => {
    expect(view(user(answer, answer), origin).role).toBe('tool');
    expect(view(user(answer, text), origin).role).toBe('user');
    expect(view(user(), origin).role).toBe('user');
    expect(view('{"role":"narrator","content":"x"}', origin).role).toBe('other');
  });

  test('text that is no message is an error with the text attached', () => {
    expect(() => view('[1]', origin)).toThrow(ProtocolError);
  });
});

describe('needs', () => {
  test.each<[string, string, Origin, string[]]>([
    ['nothing', assistant(text, call), origin, []],
    ['white space beside a call', assistant('{"type":"text","text":" "}', call), origin, []],
    ['no blocks', assistant(), origin, ['empty']],
    ['white space alone', assistant('{"type":"text","text":" \\n"}'), origin, ['empty']],
    ['an empty string', '{"role":"user","content":""}', origin, ['empty']],
    ['no content', '{"role":"user"}', origin, ['empty']],
    ['an empty text block', assistant('{"type":"text","text":""}', call), origin, ['empty']],
    [
      'an empty text in a result',
      user('{"type":"tool_result","tool_use_id":"a","content":[{"type":"text","text":""}]}'),
      origin,
      ['empty'],
    ],
    [
      'an empty text that an MCP server wrote',
      assistant('{"type":"mcp_tool_result","tool_use_id":"a","content":[{"type":"text","text":""}]}'),
      origin,
      ['empty'],
    ],
    [
      'arguments that are no object',
      assistant('{"type":"tool_use","id":"a","name":"f","input":"{\\"n\\":"}'),
      origin,
      ['arguments'],
    ],
    ['arguments that were cut', assistant('{"type":"tool_use","id":"a","name":"f","input":"{\\"n\\":"}'), cut, ['cut']],
    ['arguments before the first piece', assistant('{"type":"tool_use","id":"a","name":"f","input":""}'), cut, ['cut']],
    ['signed thinking', assistant(signed, text), origin, ['bound']],
    [
      'thinking whose text is withheld',
      assistant('{"type":"thinking","thinking":"","signature":"c2ln"}', text),
      origin,
      ['bound'],
    ],
    ['thinking without signature', assistant('{"type":"thinking","thinking":"hm"}', text), origin, ['cut']],
    [
      'thinking with an empty signature',
      assistant('{"type":"thinking","thinking":"hm","signature":""}', text),
      origin,
      ['cut'],
    ],
    ['thinking with nothing behind it', assistant(signed), origin, ['cut']],
    [
      'a cache marker in a result',
      user(
        '{"type":"tool_result","tool_use_id":"a","content":[{"type":"text","text":"x","cache_control":{"type":"ephemeral"}}]}',
      ),
      origin,
      ['cache'],
    ],
    [
      'a tool argument called like a cache marker',
      assistant('{"type":"tool_use","id":"a","name":"f","input":{"cache_control":1}}'),
      origin,
      [],
    ],
    ['results behind text', user(text, answer), origin, ['mixed']],
    ['results before text', user(answer, text), origin, []],
    [
      'a server call that was cut off',
      assistant(text, '{"type":"server_tool_use","id":"s","name":"web_search","input":{}}'),
      cut,
      ['cut'],
    ],
    [
      'a server call that is still running',
      assistant(text, '{"type":"server_tool_use","id":"s","name":"web_search","input":{}}'),
      origin,
      [],
    ],
  ])('%s', (_, raw, from, needs) => {
    expect(view(raw, from).needs).toEqual(needs);
  });
});
