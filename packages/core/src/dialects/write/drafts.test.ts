import { describe, expect, it } from 'vitest';
import { assistant, blocksMessage, type Message, toolResult, user } from '../../message/index.ts';
import { bedrockConverse } from '../bedrock-converse/index.ts';
import {
  anthropicMessages,
  type Dialect,
  googleGenerateContent,
  type LossNote,
  type Manifest,
  openaiChat,
  openaiResponses,
  writeRequest,
} from '../index.ts';
import { CallTracker, targetToolId, targetToolName, viewId } from './drafts.ts';

const call = (id: string, name = 'find') =>
  ({ type: 'tool-use', id, name, parameters: {}, rawParameters: '{}' }) as const;
/** A result that names the function instead of the call, as the one at that place in its message. */
const resultOf = (name: string, at = 0): Message => toolResult(`skn_fn_${at}_${name}`, 'x');

/** The call that each result answers, in order. */
function answered(messages: readonly Message[], tracker = new CallTracker()): (string | undefined)[] {
  return messages.flatMap((message) => {
    const { find } = tracker.next(message, false);
    return message.facts.results.map((id) => find(id)?.id);
  });
}

describe('a result that names only its function', () => {
  it('answers the first call of that name that is still open', () => {
    expect(
      answered([assistant([call('a'), call('b', 'read'), call('c')]), resultOf('find'), resultOf('find')]),
    ).toEqual(['a', 'c']);
    expect(answered([assistant([call('a'), call('b')]), toolResult('a', 'x'), resultOf('find')])).toEqual(['a', 'b']);
  });

  it('answers calls at any place of a message', () => {
    expect(answered([assistant([call('a')]), resultOf('find', 12)])).toEqual(['a']);
    expect(answered([assistant([call('a')]), toolResult('x_skn_fn_0_find', 'x')])).toEqual([undefined]);
  });

  it('answers the calls of a turn that came in several messages', () => {
    const turn = [assistant([call('a')]), user('Both, please'), assistant([call('b')])];
    expect(answered([...turn, resultOf('find'), resultOf('find')])).toEqual(['a', 'b']);
  });

  it('answers a call behind another result and a question', () => {
    const start = [assistant([call('a'), call('b')]), toolResult('a', 'x'), user('And?')];
    expect(answered([...start, resultOf('find')])).toEqual(['a', 'b']);
  });

  it('answers a call of its own message, and not the open one of an earlier answer', () => {
    const own = blocksMessage(
      JSON.stringify({
        role: 'assistant',
        content: [call('b'), { type: 'tool-result', toolCallId: 'skn_fn_0_find', isError: false, content: [] }],
      }),
    );
    const start = [assistant([call('a'), call('c', 'read')]), toolResult('c', 'x')];
    expect(answered([...start, own])).toEqual(['c', 'b']);
  });

  it('does not answer a call that was left open in an earlier turn', () => {
    const start = [assistant([call('a'), call('b')]), toolResult('a', 'x')];
    const later = [
      assistant([call('c')]),
      assistant([call('d')]),
      resultOf('find'),
      resultOf('find'),
      resultOf('find'),
    ];
    expect(answered([...start, ...later, toolResult('other', 'x')])).toEqual(['a', 'c', 'd', undefined, undefined]);
  });

  it('answers the same calls when the messages before it belong to an earlier request', () => {
    const earlier = new CallTracker();
    answered([assistant([call('a'), call('b'), call('c')]), toolResult('a', 'x')], earlier);
    expect(answered([resultOf('find'), toolResult('a', 'again')], new CallTracker(earlier))).toEqual(['b', 'a']);
    expect(answered([assistant([call('d')]), resultOf('find')], new CallTracker(earlier))).toEqual(['d']);
  });
});

it('a result with a made-up id answers a call that came without one, but not in another dialect', () => {
  const google = googleGenerateContent.parseMessage(
    '{"role":"model","parts":[{"functionCall":{"name":"find","args":{}}}]}',
  );
  const [made] = google.facts.calls;
  expect(answered([google, toolResult('made-up', 'x')])).toEqual([made!.id]);
  const chat = openaiChat.parseMessage('{"role":"tool","tool_call_id":"made-up","content":"x"}');
  expect(answered([google, chat])).toEqual([undefined]);
});

describe('a request that goes on from one whose messages were read again', () => {
  const write = (messages: readonly Message[], previous?: Manifest) =>
    writeRequest(anthropicMessages, { model: 'claude-sonnet-4-5', messages, ...(previous && { previous }) });
  const goOn = (sent: readonly Message[], more: readonly Message[]) => {
    const manifest = JSON.parse(JSON.stringify(write(sent).manifest)) as Manifest;
    return write([...sent.map(({ raw }) => blocksMessage(raw)), ...more], manifest);
  };

  it('is the same if there is nothing new', () => {
    const sent = [user('Hi'), assistant([call('a'), call('b')]), resultOf('find'), resultOf('find')];
    const { body, losses } = write(sent);
    expect(goOn(sent, [])).toMatchObject({ body, losses });
  });

  it('names the call of its last turn that a late result answers', () => {
    const { body } = goOn([user('Hi'), assistant([call('a')]), assistant('And?')], [resultOf('find')]);
    expect(body).toContain('tool call a:');
  });

  it('names no call of an earlier turn, which is closed', () => {
    const sent = [user('Hi'), assistant([call('a')]), user('Never mind'), assistant('Fine')];
    expect(goOn(sent, [resultOf('find')]).body).not.toContain('tool call a:');
  });
});

it('a turn that stands for no message belongs to the request as a whole', () => {
  const messages = [assistant([call('a')]), toolResult('a', 'x')];
  const { losses, manifest } = writeRequest(googleGenerateContent, { model: 'gemini-2.5-flash', messages });
  expect(losses).toContainEqual({ kind: 'synthesised', message: -1, path: '', reason: 'opening' });
  expect(manifest.elements.map(({ of }) => of)).toEqual([[], [0], [1]]);
});

it('the id of a call without one is the same in every version, because requests are compared with what was sent', () => {
  expect(viewId('{"role":"assistant"}', 2)).toBe('skn_cc2155ead0bb_2');
});

describe('ids and names that a target refuses', () => {
  const { policies } = anthropicMessages.home;
  const noted = (make: (losses: LossNote[]) => string): [made: string, losses: LossNote[]] => {
    const losses: LossNote[] = [];
    return [make(losses), losses];
  };

  it('stay as they are up to the longest that it takes', () => {
    expect(noted((losses) => targetToolId('i'.repeat(64), policies, 'id', losses))).toEqual(['i'.repeat(64), []]);
    expect(noted((losses) => targetToolName('n'.repeat(128), policies, 'name', losses))).toEqual(['n'.repeat(128), []]);
  });

  it('become short enough, and distinct, and the loss names both', () => {
    const [first, losses] = noted((list) => targetToolName(`${'n'.repeat(128)}1`, policies, 'tools[0]', list));
    const [second] = noted((list) => targetToolName(`${'n'.repeat(128)}2`, policies, 'tools[1]', list));
    expect(first).toMatch(/^n{120}_[0-9a-f]{6}$/);
    expect(second).toMatch(/^n{120}_[0-9a-f]{6}$/);
    expect(second).not.toBe(first);
    const detail = `${'n'.repeat(128)}1 -> ${first}`;
    expect(losses).toEqual([{ kind: 'rewritten', path: 'tools[0]', reason: 'tool-name', detail }]);

    const [id, idLosses] = noted((list) => targetToolId('a b', policies, 'content[0].id', list));
    expect(id).toMatch(/^call_[0-9a-f]{24}$/);
    expect(idLosses).toEqual([{ kind: 'rewritten', path: 'content[0].id', reason: 'tool-id', detail: `a b -> ${id}` }]);
  });
});

it.each([
  ['it is empty', '', 'empty'],
  ['it was cut in its thinking', '{"type":"thinking","thinking":"So","signature":""}', 'cut'],
])('a message of which nothing is left to send is a loss: %s', (_, content, reason) => {
  const origin = { dialect: 'anthropic-messages', issuer: anthropicMessages.home.issuer, cut: true } as const;
  const message = anthropicMessages.parseMessage(`{"role":"assistant","content":[${content}]}`, origin);
  const { losses } = writeRequest(anthropicMessages, { model: 'claude-sonnet-4-5', messages: [user('Hi'), message] });
  expect(losses).toEqual([{ kind: 'dropped', message: 1, path: '', reason }]);
});

describe('a message that was written before', () => {
  const write = (messages: readonly Message[], dialect: Dialect = anthropicMessages, model = 'claude-sonnet-4-5') =>
    writeRequest(dialect, { model, messages });

  it.each([
    ['another call', anthropicMessages, 'claude-sonnet-4-5', resultOf('find'), call('b')],
    ['a call of another function', googleGenerateContent, 'gemini-2.5-flash', toolResult('a', 'x'), call('a', 'read')],
  ] as const)('is written anew where its result answers %s', (_, dialect, model, result, other) => {
    write([user('Hi'), assistant([call('a')]), result], dialect, model);
    const again = write([user('Hi'), assistant([other]), result], dialect, model);
    const fresh = write([user('Hi'), assistant([other]), blocksMessage(result.raw)], dialect, model);
    expect(again.body).toBe(fresh.body);
  });

  it('is written anew where one of its two results answers another call', () => {
    const result = (id: string) => `{"type":"tool-result","toolCallId":"${id}","isError":false,"content":[]}`;
    const results = blocksMessage(`{"role":"user","content":[${result('skn_fn_0_find')},${result('skn_fn_1_look')}]}`);
    write([user('Hi'), assistant([call('a'), call('b', 'look')]), results]);
    const { body } = write([user('Hi'), assistant([call('c'), call('b', 'look')]), results]);
    expect([...body.matchAll(/"tool_use_id":"(\w+)"/g)].map(([, id]) => id)).toEqual(['c', 'b']);
  });

  it('is written anew where it has become a repeat, whose items must not have the same ids', () => {
    const say = (id: string) =>
      openaiResponses.parseMessage(
        `[{"type":"message","id":"${id}","role":"assistant","status":"completed","content":[{"type":"output_text","text":"Yes","annotations":[]}]}]`,
      );
    const answer = say('m');
    write([user('Hi'), user('So?'), answer], openaiResponses, 'gpt-5.2');
    const { body } = write([say('m'), user('So?'), answer], openaiResponses, 'gpt-5.2');
    expect(body.split('"id":"m"')).toHaveLength(2);
  });

  it('names its losses at its place in each history', () => {
    const answer = assistant([{ type: 'refusal', text: 'No.' }]);
    const placeOf = (messages: readonly Message[]) => write(messages).losses.map(({ message }) => message);
    expect(placeOf([user('Hi'), answer, user('Why?')])).toEqual([1]);
    expect(placeOf([user('Hi'), assistant('Yes?'), user('So?'), answer, user('Why?')])).toEqual([3]);
  });
});

it.each([
  [['a', 'a'], 'ax'],
  [['a', 'b', 'a', 'a'], 'abxx'],
])('calls with the ids %j in one message are sent with ids of their own', (given, expected) => {
  const messages = [user('Hi'), assistant(given.map((id) => call(id)))];
  const { body } = writeRequest(anthropicMessages, { model: 'claude-sonnet-4-5', messages });
  const ids = [...body.matchAll(/"type":"tool_use","id":"([^"]*)"/g)].map(([, id]) => id!);
  expect(new Set(ids).size).toBe(given.length);
  expect(ids.map((id) => (id.startsWith('call_') ? 'x' : id)).join('')).toBe(expected);
  for (const id of ids) expect(body.split(`"tool_use_id":"${id}"`)).toHaveLength(2);
});

it('questions that become one turn are joined anew when another one follows', () => {
  const write = (messages: readonly Message[]) => {
    const { body, manifest } = writeRequest(bedrockConverse, { model: 'us.amazon.nova-pro-v1:0', messages });
    return { texts: JSON.parse(body).messages.at(-1).content, of: manifest.elements.map(({ of }) => of) };
  };
  const [one, two, three] = [user('One?'), user('Two?'), user('Three?')];
  expect(write([one, two])).toEqual({ texts: [{ text: 'One?' }, { text: 'Two?' }], of: [[0, 1]] });
  const all = { texts: [{ text: 'One?' }, { text: 'Two?' }, { text: 'Three?' }], of: [[0, 1, 2]] };
  expect(write([one, two, three])).toEqual(all);
  expect(write([one, three])).toEqual({ texts: [{ text: 'One?' }, { text: 'Three?' }], of: [[0, 1]] });
});

it('results of which one names its call and one its function are sent with the ids of both calls', () => {
  const result = (id: string) => `{"type":"tool_result","tool_use_id":"${id}","content":"of ${id}"}`;
  const results = anthropicMessages.parseMessage(
    `{"role":"user","content":[${[result('a'), result('skn_fn_1_look'), result('gone')]}]}`,
  );
  const messages = [user('Hi'), assistant([call('a'), call('b', 'look')]), results];
  const { body } = writeRequest(anthropicMessages, { model: 'claude-sonnet-4-5', messages });
  expect([...body.matchAll(/"tool_use_id":"(\w+)"/g)].map(([, id]) => id)).toEqual(['a', 'b']);
});

it.each([[['find', 'look']], [['find']]])(
  'results that name their functions are sent with the ids of their calls: %j',
  (names) => {
    const result = (name: string) => `{"type":"tool_result","tool_use_id":"skn_fn_0_${name}","content":"x"}`;
    const results = anthropicMessages.parseMessage(`{"role":"user","content":[${names.map(result)}]}`);
    const messages = [user('Hi'), assistant(names.map((name) => call(`id_${name}`, name))), results];
    const { body, losses } = writeRequest(anthropicMessages, { model: 'claude-sonnet-4-5', messages });
    expect([...body.matchAll(/"tool_use_id":"(\w+)"/g)].map(([, id]) => id)).toEqual(names.map((name) => `id_${name}`));
    expect(losses.filter(({ reason }) => reason === 'tool-id').map(({ detail }) => detail)).toEqual(
      names.map((name) => `skn_fn_0_${name} -> id_${name}`),
    );
  },
);

it.each<[Dialect, string, ...string[]]>([
  [openaiChat, 'gpt-4o', '{"role":"user","content":"Hi","parsed":{}}'],
  [
    openaiResponses,
    'gpt-5.2',
    '{"type":"computer_call","id":"c","call_id":"a","action":{"type":"screenshot"},"status":"completed"}',
    '{"type":"computer_call_output","call_id":"a","output":{"type":"computer_screenshot","file_id":"f"}}',
  ],
])(
  'what is sent as it is stands in the manifest by its place in the message, not by its text: %o',
  (dialect, model, ...raws) => {
    const messages = [...raws.map((raw) => dialect.parseMessage(raw)), user('So?')];
    const { manifest } = writeRequest(dialect, { model, messages });
    const pieces = manifest.elements.map((element) => element.pieces);
    expect(pieces.slice(0, -1)).toEqual(raws.map(({ length }, message) => [{ message, start: 0, end: length }]));
    expect(pieces.at(-1)).toEqual([expect.stringContaining('So?')]);
  },
);
