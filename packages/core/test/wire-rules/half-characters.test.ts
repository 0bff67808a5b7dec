import { anthropicMessages, assistant, describeLoss, type Message, system, toolResult, user } from '@skein/core';
import { describe, expect, test } from 'vitest';
import { APIS } from '../matrix/apis.ts';
import { Talk } from '../matrix/talk.ts';

const accepted = { refusal: undefined, warnings: [] };
/** Half of a character, as a tool that cuts a text by length may leave it. */
const HALF = 'cut \ud83d';
const TARGETS = APIS.flatMap((api) => api.models.map((model) => ({ api, model, id: api.id })));

const call: Message = assistant([
  { type: 'tool-use', id: 'call_1', name: 'lookup', parameters: {}, rawParameters: '{}' },
]);

/** A call whose arguments hold the escape of half a character, in the text of the provider that wrote it. */
const ownCall = anthropicMessages.parseMessage(
  '{"role":"assistant","content":[{"type":"tool_use","id":"call_1","name":"lookup","input":{"q":"cut \\ud83d"}}]}',
);

const HISTORIES: [string, readonly Message[], Parameters<Talk['write']>[1]?][] = [
  ['the result of a failed tool', [user('Go'), call, toolResult('call_1', HALF, { isError: true })]],
  ['the result of a tool', [user('Go'), call, toolResult('call_1', HALF)]],
  ['the arguments of a call', [user('Go'), ownCall, toolResult('call_1', 'found')]],
  [
    'the name of a document',
    [
      user([
        { type: 'text', text: 'Read' },
        { type: 'media', mediaType: 'application/pdf', source: { kind: 'base64', data: 'JVBERi0=' }, name: HALF },
      ]),
    ],
  ],
  ['the schema of a tool', [user('Go')], { tools: [{ name: 'a', parameters: { type: 'object', title: HALF } }] }],
  ['the description of a tool', [user('Go')], { tools: [{ name: 'a', description: HALF, parameters: {} }] }],
  ['a system text', [system(HALF), user('Go')]],
  ['a stop sequence', [user('Go')], { params: { stop: [HALF], maxTokens: 100 } }],
  ['a member of `extra`', [user('Go')], { extra: { metadata: { user_id: HALF } } }],
];

describe.each(TARGETS)('half a character never goes to $model ($id), and that is told', ({ api, model }) => {
  test.each(HISTORIES)('in %s', (_, messages, options = {}) => {
    const { body, losses } = new Talk().write({ api, model }, options, messages);
    expect(halves(body), body).toEqual([]);
    // Where a part is left out altogether, or stands in a string of its own, nothing is replaced.
    const isReplaced = /\ufffd|\\ufffd/.test(body);
    expect(losses.some(({ reason }) => reason === 'surrogate')).toBe(isReplaced);
    for (const loss of losses) expect(describeLoss(loss)).not.toBe('');
  });

  test('in the result of a failed tool: this turn and the next are accepted', () => {
    const talk = new Talk().say(user('Go'));
    const { toolUses } = talk.answer({ api, model }, { calls: [{}] });
    talk.say(toolResult(toolUses[0]!.id, HALF, { isError: true }));
    talk.answer({ api, model }, { text: 'It failed' });
    expect(talk.say(user('Again')).write({ api, model }).verdict).toEqual(accepted);
  });
});

/** Strings of a body, at any depth, that hold half a character. */
function halves(body: string): string[] {
  const found: string[] = [];
  JSON.parse(body, (_, value) => {
    if (typeof value === 'string' && !value.isWellFormed()) found.push(value);
    return value;
  });
  return found;
}
