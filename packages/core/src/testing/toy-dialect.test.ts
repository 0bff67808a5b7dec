import { describe, expect, it } from 'vitest';
import { type DialectSpec, defineDialect, dialect } from '../dialects/index.ts';
import { joinFrame } from '../dialects/write/frame.ts';
import { elementTexts, isObject, parseJson, textAt } from '../json/index.ts';
import type { Message } from '../message/index.ts';
import { dialectConformance } from './dialect-conformance.ts';

/**
 * A protocol as small as one can be, without any facet: `{"by":"me"|"bot"|"tool","say":"…","do":{…}|"of":"…"}`.
 * The guide to dialects has one with facets, which the tests of forest record and replay.
 */
const toy: DialectSpec = {
  id: 'toy',
  home: { ...dialect('blocks').home, id: 'toy', dialect: 'toy', issuer: 'toy' },
  view(raw) {
    const value = parseJson(raw);
    if (!isObject(value)) throw new TypeError('not an object');
    const text = { type: 'text', text: String(value.say ?? '') } as const;
    if (value.by === 'tool') {
      return {
        role: 'tool',
        needs: [],
        content: [{ type: 'tool-result', toolCallId: String(value.of), content: [text], isError: false }],
      };
    }
    const call = isObject(value.do)
      ? [
          {
            type: 'tool-use',
            id: String(value.do.id),
            name: String(value.do.name),
            parameters: {},
            rawParameters: '{}',
          } as const,
        ]
      : [];
    const role = value.by === 'bot' ? 'assistant' : 'user';
    return { role, content: [text, ...call], needs: text.text === '' && call.length === 0 ? ['empty'] : [] };
  },
  readReply(body) {
    const raw = isObject(parseJson(body)) ? textAt(body, ['answer']) : undefined;
    if (raw === undefined) throw new TypeError('no "answer"');
    return {
      choices: [{ raw, stop: { reason: 'end', native: undefined } }],
      usage: undefined,
      envelope: '{"answer":null}',
      model: undefined,
    };
  },
  assemble() {
    let say = '';
    let ended = false;
    return {
      push(event, data) {
        if (event === 'end') ended = true;
        else if (event !== 'say') return [{ type: 'unknown', event, data }];
        else say += data;
        return [];
      },
      finish: () => ({
        choices: [
          {
            raw: `{"by":"bot","say":${JSON.stringify(say)}}`,
            stop: { reason: ended ? 'end' : 'cut', native: undefined },
          },
        ],
        usage: undefined,
        envelope: '{}',
        model: undefined,
        cut: !ended,
      }),
    };
  },
  readRequest: (body) => ({
    model: undefined,
    system: undefined,
    messages: elementTexts(textAt(body, ['log'])!),
    tools: [],
    params: {},
    rest: {},
  }),
  writer: {
    resultsFollow: 'message',
    splice: (message) =>
      message.facts.needs.includes('empty')
        ? []
        : [
            {
              role: message.role === 'tool' ? 'tool' : message.role === 'assistant' ? 'assistant' : 'user',
              text: message.raw,
              pieces: [{ start: 0, end: message.raw.length }],
              calls: message.facts.calls,
              results: message.facts.results,
              losses: [],
            },
          ],
    translate: (message, _target, calls) => [
      ...message.toolResults.map((result) =>
        toolUnit(calls.find(result.toolCallId)?.id ?? result.toolCallId, message.text),
      ),
      ...textUnits(message),
    ],
    result: (call, text) => toolUnit(call.id, text),
    userText: (text) => unit('user', `{"by":"me","say":${JSON.stringify(text)}}`),
    merge: () => undefined,
    frame: (parts) => ({ ...joinFrame([], 'log', [], parts.extra), lead: [], base: '', losses: [] }),
  },
};

const unit = (role: 'user' | 'assistant' | 'tool', text: string) => ({
  role,
  text,
  calls: [],
  results: [],
  losses: [],
});
const toolUnit = (id: string, text: string) => ({
  ...unit('tool', `{"by":"tool","of":${JSON.stringify(id)},"say":${JSON.stringify(text)}}`),
  results: [id],
});

function textUnits(message: Message) {
  if (message.text === '' || message.role === 'tool') return [];
  const losses = message.content.some((block) => block.type === 'reasoning')
    ? [{ kind: 'dropped', path: '', reason: 'foreign-reasoning', detail: 'thoughts stay at home' } as const]
    : [];
  const by = message.role === 'assistant' ? 'bot' : 'me';
  return [
    {
      ...unit(
        message.role === 'assistant' ? 'assistant' : 'user',
        `{"by":"${by}","say":${JSON.stringify(message.text)}}`,
      ),
      losses,
    },
  ];
}

const made = defineDialect(toy);

describe('a dialect from outside', () => {
  const samples = {
    reply: '{"answer":{"by":"bot","say":"Hello there"}}',
    stream: [
      ['say', 'Hello '],
      ['say', 'there'],
      ['end', ''],
    ],
    toolCall: '{"answer":{"by":"bot","say":"Wait","do":{"id":"c1","name":"look"}}}',
    request: '{"log":[{"by":"me","say":"Hi"}]}',
    notThisProtocol: '{"error":"nope"}',
  } as const;

  it.each(dialectConformance(made, samples))('$name', ({ run }) => run());

  it('is found by its id, and cannot take a built-in one', () => {
    expect(dialect('toy')).toBe(made);
    expect(() => defineDialect({ ...toy, id: 'openai-chat' })).toThrow(/built in/);
    expect(() => dialect('nope')).toThrow(
      'Unknown dialect "nope". Known: openai-chat, openai-responses, anthropic-messages, google-generatecontent, blocks, toy',
    );
  });
});
