import { describe, expect, it } from 'vitest';
import { parseJson } from '../../json/index.ts';
import { system, user } from '../../message/index.ts';
import { makeDialect } from '../dialect.ts';
import type { WriteRequest } from '../request.ts';
import { writeRequest } from '../write/write-request.ts';
import { openaiResponsesSpec } from './index.ts';

const dialect = makeDialect(openaiResponsesSpec);
const write = (request: Partial<WriteRequest> = {}) =>
  writeRequest(dialect, { model: 'gpt-5', messages: [user('hi')], ...request });
const hi = '{"role":"user","content":[{"type":"input_text","text":"hi"}]}';

describe('the body around the items', () => {
  it('asks for ciphertext when nothing is stored', () => {
    expect(write().body).toBe(
      `{"model":"gpt-5","input":[${hi}],"store":false,"include":["reasoning.encrypted_content"]}`,
    );
  });

  it('adds to what the caller includes, and asks for nothing when it is stored', () => {
    expect(parseJson(write({ extra: { include: ['a'] } }).body)).toMatchObject({
      include: ['a', 'reasoning.encrypted_content'],
    });
    const once = { include: ['reasoning.encrypted_content'] };
    expect(parseJson(write({ extra: once }).body)).toMatchObject(once);
    const stored = write({ extra: { store: true, include: ['a'] } }).body;
    expect(stored).toBe(`{"model":"gpt-5","input":[${hi}],"store":true,"include":["a"]}`);
  });

  it('does not ask models for ciphertext that do not reason', () => {
    expect(write({ model: 'gpt-4o' }).body).toBe(`{"model":"gpt-4o","input":[${hi}],"store":false}`);
  });

  it('keeps instructions by their exact text, and joins others', () => {
    const own = dialect.parseMessage('{"role":"system","content":"b\\u00e9"}');
    expect(write({ system: [own] }).body).toContain('"instructions":"b\\u00e9","input"');
    expect(write({ messages: [own, user('hi')] }).body).toContain('"instructions":"b\\u00e9","input"');
    expect(write({ system: 'a', messages: [system('b'), user('hi')] }).body).toContain('"instructions":"a\\n\\nb"');
  });

  it('leaves system items of this API where they stood', () => {
    const raw = '{"role":"developer","content":"rules"}';
    expect(write({ messages: [dialect.parseMessage(raw), user('hi')] }).body).toContain(`"input":[${raw},${hi}]`);
  });

  it('writes tools flat and never makes their schemas strict', () => {
    const tools = [
      { name: 'f.g', description: 'd', parameters: '{"type":"object","x":1.0}' },
      { dialect: 'openai-responses', native: '{"type":"web_search"}' },
      { dialect: 'anthropic-messages', native: '{}' },
    ];
    const { body, losses } = write({ tools });
    expect(body).toContain(
      '"tools":[{"type":"function","name":"f_g_d2bb54","description":"d","parameters":{"type":"object","x":1.0},"strict":false},{"type":"web_search"}],"input"',
    );
    expect(losses.map(({ kind, path, reason }) => `${kind} ${path} ${reason}`)).toEqual([
      'rewritten tools[0] tool-name',
      'dropped tools[2] server-tool',
    ]);
  });

  it('writes parameters, and says which it has no word for', () => {
    const { body, losses } = write({
      params: {
        maxTokens: 9,
        temperature: 0.5,
        topP: 0.9,
        stop: ['x'],
        seed: 1,
        stream: true,
        toolChoice: { name: 'f' },
        parallelToolCalls: false,
        reasoning: { effort: 'low', budget: 5 },
      },
      tools: [{ name: 'f', parameters: '{}' }],
      extra: '{"reasoning":{"summary":"auto"},"metadata":{"n":1.0}}',
    });
    expect(body.slice(body.indexOf('],"store"'))).toBe(
      '],"store":false,"include":["reasoning.encrypted_content"],"max_output_tokens":9,"temperature":0.5,"top_p":0.9,"stream":true,"parallel_tool_calls":false,"tool_choice":{"type":"function","name":"f"},"reasoning":{"effort":"low","summary":"auto"},"metadata":{"n":1.0}}',
    );
    expect(losses.map(({ path }) => path)).toEqual(['params.stop', 'params.seed', 'params.reasoning.budget']);
  });

  it('extends the request before it, byte for byte', () => {
    const reply = dialect.readResponse(
      '{"output":[{"type":"reasoning","id":"rs_1","summary":[],"encrypted_content":"c"},{"type":"message","id":"msg_1","role":"assistant","content":[{"type":"output_text","text":"yo","n":1.0}],"phase":"commentary"}]}',
    );
    const first = write({ system: 's' });
    const second = write({ system: 's', messages: [user('hi'), reply.message, user('go on')] });
    expect(second.body.startsWith(first.body.slice(0, first.body.indexOf('],"store"')))).toBe(true);
    expect(second.body).toContain(reply.message.raw.slice(1, -1));
    expect(second.losses).toEqual([]);
  });
});
