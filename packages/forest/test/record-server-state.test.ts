/** Conversations whose history the API keeps: requests contain only what is new. */
import { describe, expect, test } from 'vitest';
import type { Recorded } from './record-exchanges.ts';
import { LONG, person, place } from './record-placement-kit.ts';

const TOOL = { name: 'look', description: 'Looks', input_schema: { type: 'object', properties: {} } };
const CALL = { type: 'tool_use', id: 'toolu_01AbCdEfGh2345', name: 'look', input: {} };
const RESULT = { role: 'user', content: [{ type: 'tool_result', tool_use_id: CALL.id, content: 'found' }] };
const text = (words: string) => [{ type: 'text', text: words }];

let count = 0;

/** An exchange of Anthropic's Messages API. */
const messages = (
  start: number,
  body: object,
  id: string,
  content: object[],
  more: Partial<Recorded> = {},
): Recorded => ({
  id: `s${String(count++).padStart(4, '0')}`,
  start,
  dialect: 'anthropic-messages',
  request: JSON.stringify({ model: 'claude-opus-5-5', max_tokens: 1024, ...body }),
  response: JSON.stringify({
    id,
    type: 'message',
    role: 'assistant',
    model: 'claude-opus-5-5',
    content,
    stop_reason: 'end_turn',
    usage: { input_tokens: 1, output_tokens: 1 },
  }),
  ...more,
});
const create = { thread: { type: 'create' } };
const after = (id: string) => ({ thread: { type: 'continue', previous_message_id: id } });
const asks = (words: string) => ({ role: 'user', content: words });

const THREE_TURNS: readonly Recorded[] = [
  messages(1, { system: 'Be brief.', tools: [TOOL], messages: [asks('Where?')], ...create }, 'msg_1', [CALL]),
  messages(2, { messages: [RESULT], ...after('msg_1') }, 'msg_2', text('Here.')),
  messages(3, { messages: [asks('And now?')], ...after('msg_2') }, 'msg_3', text('There.')),
];

describe('message threads', () => {
  test('three turns of a message thread are one conversation, not three', async () => {
    const { threads, words, of } = await place(THREE_TURNS);
    expect(new Set(threads).size).toBe(1);
    expect(await words(threads[0]!)).toEqual(['Be brief.', 'Where?', '', 'found', 'Here.', 'And now?', 'There.']);
    expect(of.map(({ way }) => way)).toEqual(['starts', 'continues', 'continues']);
    expect(of.map(({ otherSystem }) => otherSystem)).toEqual([undefined, undefined, undefined]);
  });

  test('a turn that continues a thread has the system text and the tools of the turn that created it', async () => {
    const { forest, threads } = await place(THREE_TURNS);
    expect(await forest.contextChanges(threads[0]!)).toEqual([]);
  });

  test('the turns of a thread join also if they arrive in reverse order', async () => {
    const { threads } = await place([...THREE_TURNS].reverse());
    expect(new Set(threads).size).toBe(1);
  });

  test('a turn that repeats system text and tools is in the same conversation', async () => {
    const [first] = THREE_TURNS;
    const again = messages(
      2,
      { system: 'Be brief.', tools: [TOOL], messages: [RESULT], ...after('msg_1') },
      'msg_2',
      text('Here.'),
    );
    const { forest, threads } = await place([first!, again]);
    expect(threads[1]).toBe(threads[0]);
    expect(await forest.contextChanges(threads[0]!)).toEqual([]);
  });

  test('a replay of the whole history after an expiry goes on with the conversation', async () => {
    const replay = messages(
      4,
      {
        system: 'Be brief.',
        tools: [TOOL],
        messages: [
          asks('Where?'),
          { role: 'assistant', content: [CALL] },
          RESULT,
          { role: 'assistant', content: text('Here.') },
          asks('And now?'),
          { role: 'assistant', content: text('There.') },
          asks('Then?'),
        ],
        ...create,
      },
      'msg_4',
      text('Gone.'),
    );
    const next = messages(5, { messages: [asks('Why?')], ...after('msg_4') }, 'msg_5', text('Because.'));
    const { threads, words } = await place([...THREE_TURNS, replay, next]);
    expect(new Set(threads).size).toBe(1);
    expect((await words(threads[0]!)).slice(-4)).toEqual(['Then?', 'Gone.', 'Why?', 'Because.']);
  });

  test('a thread that continues an unrecorded response says so', async () => {
    const { of } = await place([THREE_TURNS[1]!]);
    expect(of[0]).toMatchObject({ unrecorded: 'msg_1', way: 'starts' });
  });

  test('another person who names the response gets a thread of its own', async () => {
    const { threads } = await place([
      { ...THREE_TURNS[0]!, hints: person('a') },
      { ...THREE_TURNS[1]!, hints: person('b') },
    ]);
    expect(threads[1]).not.toBe(threads[0]);
  });

  test('a request of a thread is rebuilt without it', async () => {
    const { forest, of } = await place(THREE_TURNS);
    const node = of[2]!.node as string;
    expect(JSON.parse((await forest.request(node)).body).messages).toHaveLength(1);
    const { body, losses } = await forest.request(node, { stateless: true });
    expect(losses).toEqual([]);
    expect(JSON.parse(body)).toEqual({
      model: 'claude-opus-5-5',
      max_tokens: 1024,
      system: 'Be brief.',
      tools: [TOOL],
      messages: [
        asks('Where?'),
        { role: 'assistant', content: [CALL] },
        RESULT,
        { role: 'assistant', content: text('Here.') },
        asks('And now?'),
      ],
    });
  });

  test('a request that brought its whole history is the same without the thread', async () => {
    const [first] = THREE_TURNS;
    const { forest, of } = await place([first!]);
    const { thread: _, ...rest } = JSON.parse(first!.request!);
    expect(JSON.parse((await forest.request(of[0]!.node as string, { stateless: true })).body)).toEqual(rest);
  });
});

describe('interactions', () => {
  const said = (words: string) => ({ type: 'model_output', content: [{ type: 'text', text: words }] });
  const interaction = (start: number, body: object, id: string | undefined, steps: object[], more: object = {}) => ({
    id: `i${String(count++).padStart(4, '0')}`,
    start,
    dialect: 'google-interactions',
    request: JSON.stringify({ model: 'gemini-3.6-flash', ...body }),
    response: JSON.stringify({
      id,
      status: 'completed',
      steps,
      object: 'interaction',
      model: 'gemini-3.6-flash',
      ...more,
    }),
  });
  const call = { type: 'function_call', id: 'c1', name: 'look', arguments: {} };
  const found = { type: 'function_result', call_id: 'c1', name: 'look', result: 'found' };
  const thought = { type: 'thought', signature: 'c2ln' };
  const tools = [{ type: 'function', name: 'look', parameters: { type: 'object' } }];
  const fixed = { system_instruction: 'Be brief.', tools };
  const CHAIN: readonly Recorded[] = [
    interaction(1, { ...fixed, input: 'Where?' }, 'v1_a', [thought, call], { status: 'requires_action' }),
    // As the AI SDK sends a result: inside of an input.
    interaction(
      2,
      { ...fixed, input: [{ type: 'user_input', content: [found] }], previous_interaction_id: 'v1_a' },
      'v1_b',
      [said('Here.')],
    ),
    interaction(3, { ...fixed, input: 'And now?', previous_interaction_id: 'v1_b' }, 'v1_c', [said('There.')]),
  ];

  test('a chain of interactions is one conversation', async () => {
    const { threads, words, of } = await place(CHAIN);
    expect(new Set(threads).size).toBe(1);
    expect(await words(threads[0]!)).toEqual(['Be brief.', 'Where?', '', 'found', 'Here.', 'And now?', 'There.']);
    expect(of.map(({ way }) => way)).toEqual(['starts', 'continues', 'continues']);
  });

  test('a stored interaction that is continued twice is a branch', async () => {
    const other = interaction(4, { ...fixed, input: 'And here?', previous_interaction_id: 'v1_b' }, 'v1_d', [
      said('Yes.'),
    ]);
    const { threads, of } = await place([...CHAIN, other]);
    expect(new Set(threads).size).toBe(1);
    expect(of[3]).toMatchObject({ way: 'branches' });
  });

  test('a request of a chain is rebuilt without it, each step in its exact text', async () => {
    const { forest, of } = await place(CHAIN);
    const { body, losses } = await forest.request(of[2]!.node as string, { stateless: true });
    expect(losses).toEqual([]);
    const { input, previous_interaction_id: previous } = JSON.parse(body);
    expect(previous).toBeUndefined();
    const user = (...content: object[]) => ({ type: 'user_input', content });
    expect(input).toEqual([
      user(...text('Where?')),
      thought,
      call,
      user(found),
      said('Here.'),
      user(...text('And now?')),
    ]);
  });

  test('what is not stored has no id, and is found by its steps', async () => {
    const first = { type: 'user_input', content: text('Where?') };
    const { threads } = await place([
      interaction(1, { input: [first], store: false }, undefined, [thought, said('Here.')]),
      interaction(
        2,
        { input: [first, thought, said('Here.'), { type: 'user_input', content: text('And now?') }], store: false },
        undefined,
        [said('There.')],
      ),
    ]);
    expect(threads[1]).toBe(threads[0]);
  });

  test('a reply that goes on by its token is in the same conversation', async () => {
    const halted = { status: 'requires_continuation', continuation_token: 't1' };
    const { threads, words } = await place([
      interaction(1, { input: 'Tell me all' }, 'v1_a', [said('One,')], halted),
      interaction(2, { continuation_token: 't1', previous_interaction_id: 'v1_a' }, 'v1_b', [said(' two.')]),
    ]);
    expect(new Set(threads).size).toBe(1);
    expect(await words(threads[0]!)).toEqual(['Tell me all', 'One,', ' two.']);
  });

  test('an interaction that continues an unrecorded one says so', async () => {
    const { of } = await place([CHAIN[1]!]);
    expect(of[0]).toMatchObject({ unrecorded: 'v1_a', way: 'starts' });
  });
});

describe('cache diagnostics', () => {
  const asked = (start: number, id: string, previous: string | null, history: object[], answer: string) =>
    messages(start, { messages: history, diagnostics: { previous_message_id: previous } }, id, text(answer));

  test('of two conversations with the same words, the named response decides', async () => {
    const turn = (previous: string) => [asks('Hi'), { role: 'assistant', content: text('Hello') }, asks(previous)];
    const { threads } = await place([
      asked(1, 'msg_a', null, [asks('Hi')], 'Hello'),
      asked(3, 'msg_b', null, [asks('Hi')], 'Hello'),
      asked(5, 'msg_c', 'msg_a', turn('one'), 'A'),
      asked(7, 'msg_d', 'msg_b', turn('two'), 'B'),
    ]);
    expect(threads[2]).toBe(threads[0]);
    expect(threads[3]).toBe(threads[1]);
    expect(threads[0]).not.toBe(threads[1]);
  });

  test('a trimmed history that sends the named reply back is the same conversation', async () => {
    const { threads, of } = await place([
      asked(1, 'msg_a', null, [asks('Hi')], 'Hello'),
      asked(3, 'msg_b', 'msg_a', [asks('Hi'), { role: 'assistant', content: text('Hello') }, asks('More')], LONG),
      asked(5, 'msg_c', 'msg_b', [asks('More'), { role: 'assistant', content: text(LONG) }, asks('Go on')], 'C'),
    ]);
    expect(new Set(threads).size).toBe(1);
    expect(of[2]).toMatchObject({ found: 'proof' });
  });

  test('a request that names a response and sends nothing of it back is a conversation of its own', async () => {
    const { threads } = await place([
      asked(1, 'msg_a', null, [asks('Hi')], 'Hello'),
      asked(3, 'msg_b', 'msg_a', [asks('Something else')], 'Yes'),
    ]);
    expect(threads[1]).not.toBe(threads[0]);
  });
});

describe('previous_response_id', () => {
  const responses = (start: number, body: object, id: string, words: string): Recorded => ({
    ...messages(start, {}, id, []),
    dialect: 'openai-responses',
    request: JSON.stringify({ model: 'gpt-5.5', ...body }),
    response: JSON.stringify({
      id,
      object: 'response',
      status: 'completed',
      model: 'gpt-5.5',
      output: [
        {
          type: 'message',
          id: `${id}_m`,
          role: 'assistant',
          status: 'completed',
          content: [{ type: 'output_text', text: words, annotations: [] }],
        },
      ],
    }),
  });
  const developer = { type: 'message', role: 'developer', content: 'Be brief.' };
  const question = { type: 'message', role: 'user', content: 'Where?' };

  test('a developer message that the server keeps is not lost on the next turn', async () => {
    const { forest, threads, of } = await place([
      responses(1, { input: [developer, question] }, 'resp_1', 'Here.'),
      responses(2, { input: 'And now?', previous_response_id: 'resp_1' }, 'resp_2', 'There.'),
    ]);
    expect(threads[1]).toBe(threads[0]);
    expect(of[1]!.otherSystem).toBeUndefined();
    expect(await forest.contextChanges(threads[0]!)).toEqual([]);
    const { body } = await forest.request(of[1]!.node as string, { stateless: true });
    expect(JSON.parse(body).previous_response_id).toBeUndefined();
    expect(JSON.parse(body).input.slice(0, 2)).toEqual([developer, question]);
  });

  test('instructions are not kept: a turn without them has none', async () => {
    const { forest, of } = await place([
      responses(1, { instructions: 'Be brief.', input: 'Where?' }, 'resp_1', 'Here.'),
      responses(2, { input: 'And now?', previous_response_id: 'resp_1' }, 'resp_2', 'There.'),
    ]);
    expect(of[1]!.otherSystem).toBe(true);
    const { body } = await forest.request(of[1]!.node as string, { stateless: true });
    expect(JSON.parse(body).instructions).toBeUndefined();
    expect(JSON.parse(body).input).toHaveLength(3);
  });

  test('turns of a conversation object are rebuilt without it', async () => {
    const { forest, threads, of } = await place([
      responses(1, { input: 'Where?', conversation: 'conv_1' }, 'resp_1', 'Here.'),
      responses(2, { input: 'And now?', conversation: { id: 'conv_1' } }, 'resp_2', 'There.'),
    ]);
    expect(threads[1]).toBe(threads[0]);
    const { body } = await forest.request(of[1]!.node as string, { stateless: true });
    expect(JSON.parse(body).conversation).toBeUndefined();
    expect(JSON.parse(body).input).toHaveLength(3);
  });
});
