import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { canonical, isObject, textAt } from '../../json/index.ts';
import { toolResult, user } from '../../message/index.ts';
import { decodeSse } from '../sse.ts';
import { writeRequest } from '../write/write-request.ts';
import { cohereChat as d } from './index.ts';

const corpus = process.env.SKEIN_CORPUS ?? fileURLToPath(new URL('../../../../../../shared/corpus', import.meta.url));
const folder = `${corpus}/cohere-chat`;

interface Turn {
  readonly request: unknown;
  readonly response: unknown;
  readonly responseText?: string;
  readonly sse: string | null;
}

const turns = (existsSync(folder) ? readdirSync(folder) : []).flatMap((name) => {
  const recording = JSON.parse(readFileSync(`${folder}/${name}`, 'utf8')) as { turns: Turn[] };
  return recording.turns.map((turn) => ({ name, turn }));
});

/** Calls with a plan, thoughts, sources, two calls, and numbers that JavaScript cannot hold. */
const STREAM = [
  '{"id":"c1","type":"message-start","delta":{"message":{"role":"assistant","content":[],"tool_plan":"","tool_calls":[],"citations":[]}}}',
  '{"type":"tool-plan-delta","delta":{"message":{"tool_plan":"I will "}}}',
  '{"type":"tool-plan-delta","delta":{"message":{"tool_plan":"look."}}}',
  '{"type":"tool-call-start","index":0,"delta":{"message":{"tool_calls":{"id":"look_1","type":"function","function":{"name":"look","arguments":""}}}}}',
  String.raw`{"type":"tool-call-delta","index":0,"delta":{"message":{"tool_calls":{"function":{"arguments":"{\"id\":25122920421"}}}}}`,
  '{"type":"tool-call-delta","index":0,"delta":{"message":{"tool_calls":{"function":{"arguments":"21000001}"}}}}}',
  '{"type":"tool-call-end","index":0}',
  '{"type":"message-end","delta":{"finish_reason":"TOOL_CALL","usage":{"billed_units":{"input_tokens":3,"output_tokens":4}}}}',
];

function read(sse: string) {
  const reader = d.readStream();
  const told: string[] = [];
  const decoder = decodeSse((event, data) => {
    for (const one of reader.push(event, data)) {
      expect(one.type).not.toBe('unknown');
      if (one.type === 'text' || one.type === 'reasoning') told.push(one.text);
    }
  });
  decoder.push(sse);
  decoder.end();
  return { ...reader.finish(), told: told.join('') };
}

describe('a streamed reply', () => {
  test('joins the plan and the arguments of its calls at their exact text', () => {
    const { message, stop, usage, told } = read(STREAM.map((data) => `data: ${data}\n\n`).join(''));
    expect(message.raw).toBe(
      String.raw`{"role":"assistant","tool_plan":"I will look.","tool_calls":[{"id":"look_1","type":"function","function":{"name":"look","arguments":"{\"id\":2512292042121000001}"}}]}`,
    );
    expect(message.content.map(({ type }) => type)).toEqual(['reasoning', 'tool-use']);
    expect([told, stop.reason, usage?.output]).toEqual(['I will look.', 'tool-use', 4]);
  });
});

describe.skipIf(turns.length === 0)('recorded traffic', () => {
  test('replies come apart and together without a change, and are sent back in their text', () => {
    const replies = turns.filter(({ turn }) => isObject(turn.response));
    for (const { name, turn } of replies) {
      const body = turn.responseText ?? JSON.stringify(turn.response);
      const { message, envelope, stop, usage } = d.readResponse(body);
      expect(message.raw, name).toBe(textAt(body, ['message']));
      expect({ ...JSON.parse(envelope), message: JSON.parse(message.raw) }, name).toEqual(JSON.parse(body));
      expect(stop.reason, name).not.toBe('unknown');
      expect(usage?.output, name).toBeGreaterThan(0);
      const answers = message.toolUses.map(({ id }) => toolResult(id, 'the answer'));
      const next = answers.length > 0 ? answers : [user('Go on')];
      const sent = writeRequest(d, { model: 'm', messages: [user('Hello'), message, ...next] });
      expect(sent.body, name).toContain(message.raw);
      expect(sent.losses, name).toEqual([]);
    }
    console.log(`cohere-chat: ${replies.length} replies, all sent back verbatim`);
  });

  test('streams say what they say', () => {
    const streams = turns.flatMap(({ name, turn }) => (turn.sse ? [{ name, sse: turn.sse }] : []));
    for (const { name, sse } of streams) {
      const { message, told, stop } = read(sse);
      expect([message.text, stop.reason], name).toEqual([told, 'end']);
      expect(message.text, name).toBe('The capital of France is Paris.');
    }
    console.log(`cohere-chat: ${streams.length} streams`);
  });

  test('requests are written again as they were', () => {
    const requests = turns.flatMap(({ name, turn }) =>
      isObject(turn.request) ? [{ name, request: turn.request }] : [],
    );
    for (const { name, request } of requests) {
      const body = JSON.stringify(request);
      const { model, messages, tools, params, rest } = d.readRequest(body);
      const extra = Object.entries(rest).map(([key, text]) => `${JSON.stringify(key)}:${text}`);
      const sent = writeRequest(d, { model: model!, messages, tools, params, extra: `{${extra.join(',')}}` });
      expect(sent.losses, name).toEqual([]);
      expect(canonical(sent.body), name).toBe(canonical(body));
    }
    console.log(`cohere-chat: ${requests.length} requests`);
  });
});
