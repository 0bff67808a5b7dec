/** Rules of placement (docs/recording.md): compactions of coding agents, as they send them. */
import type { Forest } from '@skein/forest';
import { describe, expect, test } from 'vitest';
import type { Hints } from '../src/record/hints.ts';
import type { Recorded } from './record-exchanges.ts';
import { assistant, chat, place, session, system, type Turn, user } from './record-placement-kit.ts';

const SUMMARY =
  'They wanted to know what is wrong with the bridge. The agent looked at each of its piers, found that the third one is ' +
  'cracked below the water, and said so. Then they asked when it had been built, and were told. Nothing is left to be done.';
const tools = [{ type: 'function', function: { name: 'look', parameters: { type: 'object', properties: {} } } }];

/** A request of an agent: with its tools, and in its session. */
const asks = (start: number, messages: readonly Turn[], answer: Turn, hints = session('s')): Recorded => ({
  ...chat(start, [], answer, { hints }),
  request: JSON.stringify({ model: 'm', messages, tools }),
});

const checkpoints = async (forest: Forest, thread: string) =>
  (await forest.contextChanges(thread)).flatMap(({ compacted }) => compacted ?? []);

const parts = async (forest: Forest, threads: readonly string[]) =>
  Promise.all(threads.map(async (id) => (await forest.threads.get(id)).part));

describe('Claude Code', () => {
  const anthropic = (start: number, messages: readonly object[], content: readonly object[]): Recorded => ({
    ...chat(start, [], assistant(''), { hints: session('s') }),
    dialect: 'anthropic-messages',
    request: JSON.stringify({ model: 'm', system: 'You mend bridges.', messages, tools: [{ name: 'look' }] }),
    response: JSON.stringify({ id: `msg_${start}`, type: 'message', role: 'assistant', model: 'm', content }),
  });
  const text = (words: string) => ({ type: 'text', text: words });
  const says = (role: string, ...content: readonly object[]) => ({ role, content });
  const call = (more: object = {}) => ({
    type: 'tool_use',
    id: 'toolu_0184b9f4d735915f',
    name: 'look',
    input: { ...more, pier: 3 },
  });
  const found = { type: 'tool_result', tool_use_id: 'toolu_0184b9f4d735915f', content: 'cracked' };
  const asked = says('user', text('What is wrong?'));
  // It adds the defaults of a tool to the arguments of a call.
  const history = [asked, says('assistant', call({ wet: false })), says('user', found)];
  const answered = [...history, says('assistant', text('A pier.')), says('user', text('How old is it?'))];
  const talk = [
    anthropic(1, [asked], [call()]),
    anthropic(2, history, [text('A pier.')]),
    anthropic(3, answered, [text('Ninety years.')]),
  ];

  test('adds defaults to the arguments of a call: nothing was compacted', async () => {
    const { forest, threads, of } = await place(talk);
    expect(new Set(threads).size).toBe(1);
    expect(of.map(({ way }) => way)).toEqual(['starts', 'continues', 'continues']);
    expect(await checkpoints(forest, threads[0]!)).toEqual([]);
  });

  test('asks for a summary within the conversation: the conversation goes on where it was, behind one checkpoint', async () => {
    const sumUp = text(
      'CRITICAL: Respond with TEXT ONLY.\n\nYour task is to create a detailed summary of the conversation.',
    );
    const summed = says('user', text(`This session is being continued. ${SUMMARY}`));
    const kept = says('assistant', text('Ninety years.'));
    const command = says('user', text('<command-name>/compact</command-name>'), text('Continue.'));
    const next = [
      summed,
      kept,
      command,
      says('assistant', text('No response requested.')),
      says('user', text('Thanks')),
    ];
    const more = [...next, says('assistant', text('Welcome.')), says('user', text('Bye'))];
    const { forest, threads, words } = await place([
      ...talk,
      // The last question and the request for the summary are one message, without the answer between them.
      anthropic(4, [...answered.slice(0, -1), says('user', text('How old is it?'), sumUp)], [text(SUMMARY)]),
      anthropic(5, next, [text('Welcome.')]),
      anthropic(6, more, [text('Bye.')]),
    ]);
    const [main, , , side] = threads;
    expect(threads).toEqual([main, main, main, side, main, main]);
    expect(await parts(forest, [main!, side!])).toEqual(['main', 'side']);
    expect((await words(main!)).slice(4)).toEqual([
      'A pier.',
      'How old is it?',
      'Ninety years.',
      '<command-name>/compact</command-name>Continue.',
      'No response requested.',
      'Thanks',
      'Welcome.',
      'Bye',
      'Bye.',
    ]);
    const compacted = await checkpoints(forest, main!);
    expect(compacted).toHaveLength(1);
    expect(compacted[0]!.replacement).toContain(SUMMARY);
  });
});

describe('OpenCode', () => {
  const talk = [user('What is wrong?'), assistant('A pier.'), user('How old is it?'), assistant('Ninety years.')];
  const prompt = system('You mend bridges.');
  const sumUp = system(
    'You are a context summarization agent. You are given a conversation between a user and an agent.',
  );

  test('has its session summed up elsewhere and repeats the summary as an answer: no thread begins', async () => {
    const summed = [user('What did we do so far?'), assistant(SUMMARY), assistant('Ninety years.'), user('Continue.')];
    const more = [...summed, assistant('I am done.'), user('Thanks')];
    const { forest, threads, words } = await place([
      asks(1, [prompt, talk[0]!], talk[1]!),
      asks(2, [prompt, ...talk.slice(0, 3)], talk[3]!),
      chat(3, [sumUp, user('<conversation>\n[User]: What is wrong?')], assistant(SUMMARY), { hints: session('s') }),
      asks(4, [prompt, ...summed], assistant('I am done.')),
      asks(5, [prompt, ...more], assistant('Welcome.')),
    ]);
    const [main, , side] = threads;
    expect(threads).toEqual([main, main, side, main, main]);
    expect(await parts(forest, [main!, side!])).toEqual(['main', 'side']);
    expect((await words(main!)).slice(4)).toEqual(['Ninety years.', 'Continue.', 'I am done.', 'Thanks', 'Welcome.']);
    expect(await checkpoints(forest, main!)).toMatchObject([{ messages: 4 }]);
  });

  test('of two sessions, each goes on behind its own summary', async () => {
    const other: Hints = session('t');
    const summed = [user('What did we do so far?'), assistant(SUMMARY), user('Continue.')];
    const { threads } = await place([
      asks(1, [prompt, talk[0]!], talk[1]!),
      asks(2, [prompt, user('Something else')], assistant('Yes.'), other),
      chat(3, [sumUp, user('<conversation>\n[User]: What is wrong?')], assistant(SUMMARY), { hints: session('s') }),
      asks(4, [prompt, ...summed], assistant('I am done.'), other),
      asks(5, [prompt, ...summed], assistant('I am done.')),
    ]);
    expect(threads[4]).toBe(threads[0]);
    expect([threads[0], threads[1]]).not.toContain(threads[3]);
  });
});

describe('Gemini CLI', () => {
  const google = (start: number, contents: readonly object[], answer: object, instructions = AGENT): Recorded => ({
    ...chat(start, [], assistant('')),
    dialect: 'google-generatecontent',
    request: JSON.stringify({
      contents,
      systemInstruction: { parts: [{ text: instructions }] },
      ...(instructions === AGENT && { tools: [{ functionDeclarations: [{ name: 'look' }] }] }),
    }),
    response: JSON.stringify({ candidates: [{ index: 0, content: { role: 'model', parts: [answer] } }] }),
  });
  const AGENT = 'You are Gemini CLI.';
  const COMPRESSOR = 'You are a specialized system component responsible for distilling chat history into XML.';
  const says = (role: string, ...parts_: readonly object[]) => ({ role, parts: parts_ });
  const call = (id: string, thoughtSignature: string) => ({
    functionCall: { id, name: 'look', args: { pier: 3 } },
    thoughtSignature,
  });
  const found = (id: string) => ({ functionResponse: { id, name: 'look', response: { output: 'cracked' } } });
  const ID = 'toolu_01c33355534ffcc3';
  const STORED = `look__${ID}`;
  const SKIPPED = 'skip_thought_signature_validator';
  const asked = says('user', { text: 'What is wrong?' });
  const history = (id: string, seal: string, times: number) => [
    asked,
    says('model', call(id, seal)),
    says('user', ...Array.from({ length: times }, () => found(id))),
  ];
  const resumed = [...history(ID, SKIPPED, 2), says('model', { text: 'A pier.' }), says('user', { text: 'How old?' })];
  const talk = [
    google(1, [asked], call(ID, 'c2VhbCBvZiBhIHRob3VnaHQgdGhhdCBpcyBsb25n')),
    google(2, history(ID, 'c2VhbCBvZiBhIHRob3VnaHQgdGhhdCBpcyBsb25n', 1), { text: 'A pier.' }),
    google(3, resumed, { text: 'Ninety years.' }),
  ];

  test('doubles the results of a resumed session: nothing was compacted or edited', async () => {
    const { forest, threads, of, words } = await place(talk);
    expect(new Set(threads).size).toBe(1);
    expect(of.map(({ way }) => way)).toEqual(['starts', 'continues', 'continues']);
    expect(await words(threads[0]!)).toHaveLength(7);
    expect(await checkpoints(forest, threads[0]!)).toEqual([]);
  });

  test('has no session and asks twice for a summary: both are side calls, and the conversation goes on', async () => {
    const shown = [...history(STORED, SKIPPED, 3), says('model', { text: 'A pier.' })];
    const again = [...shown, says('model', { text: SUMMARY }), says('user', { text: 'Critically evaluate it.' })];
    const summed = [
      says('user', { text: SUMMARY }),
      says('model', { text: 'Got it. Thanks for the additional context!' }),
      says('user', { text: 'How old?' }),
      says('model', { text: 'Ninety years.' }),
      says('user', { text: 'Thanks' }),
    ];
    const more = [...summed, says('model', { text: 'Welcome.' }), says('user', { text: 'Bye' })];
    const { forest, threads, words } = await place([
      ...talk,
      google(4, [...shown, says('user', { text: 'Generate a new snapshot.' })], { text: SUMMARY }, COMPRESSOR),
      google(5, again, { text: SUMMARY }, COMPRESSOR),
      google(6, summed, { text: 'Welcome.' }),
      google(7, more, { text: 'Bye.' }),
    ]);
    const [main, , , first, second] = threads;
    expect(threads).toEqual([main, main, main, first, second, main, main]);
    expect(await parts(forest, [main!, first!, second!])).toEqual(['main', 'side', 'side']);
    expect((await words(main!)).slice(5)).toEqual(['How old?', 'Ninety years.', 'Thanks', 'Welcome.', 'Bye', 'Bye.']);
    expect(await checkpoints(forest, main!)).toMatchObject([{ messages: 5 }]);
  });
});

describe('Codex', () => {
  const hints: Hints = { ...session('s'), name: 's' };
  const codex = (start: number, input: readonly object[], output: readonly object[], previous?: string): Recorded => ({
    ...chat(start, [], assistant(''), { hints }),
    dialect: 'openai-responses',
    request: JSON.stringify({ model: 'm', input, ...(previous && { previous_response_id: previous }) }),
    response: JSON.stringify({ id: `resp_${start}`, object: 'response', status: 'completed', model: 'm', output }),
  });
  const BASE = { type: 'message', role: 'developer', content: 'You mend bridges.' };
  const says = (text: string) => ({ type: 'message', role: 'user', content: [{ type: 'input_text', text }] });
  const answer = (text: string, id: string) => ({
    type: 'message',
    id,
    role: 'assistant',
    content: [{ type: 'output_text', text, annotations: [] }],
  });
  const [pier, years, welcome] = [
    answer('A pier.', 'msg_d6376884465eccee'),
    answer('Ninety years.', 'msg_39d72bfed114545a'),
    answer('Welcome.', 'msg_c2b0e6fa46bb54df'),
  ];
  const sealed = { type: 'compaction', id: 'cmp_cfb803d61fbce4e0', encrypted_content: 'Iz5Kgmhl8EJsKyq6pvKGF6vR' };
  const asked = says('What is wrong?');
  const first = [codex(1, [BASE], []), codex(2, [asked], [pier], 'resp_1')];
  const resumed = [codex(3, [BASE], []), codex(4, [asked, pier, says('How old?')], [years], 'resp_3')];

  test('repeats its warm-up when a session is opened again: the conversation is still there', async () => {
    const { threads, words } = await place([...first, codex(3, [BASE], [])]);
    expect(new Set(threads).size).toBe(1);
    expect(await words(threads[0]!)).toEqual(['You mend bridges.', '', 'What is wrong?', 'A pier.']);
  });

  test('has its vendor compact the session: the live recording has the checkpoint, once', async () => {
    const summed = [asked, says('How old?'), sealed, says('Thanks')];
    const { forest, threads, words } = await place([
      ...first,
      ...resumed,
      codex(5, [BASE], []),
      codex(6, [asked, pier, says('How old?'), years, { type: 'compaction_trigger' }], [sealed], 'resp_5'),
      codex(7, [BASE, ...summed], [welcome]),
      codex(8, [says('More')], [answer('More?', 'msg_0011aabb22cc33dd')], 'resp_7'),
      codex(9, [BASE], []),
      codex(
        10,
        [...summed, welcome, says('More'), answer('More?', 'msg_0011aabb22cc33dd'), says('Bye')],
        [answer('Bye.', 'msg_99887766554433aa')],
        'resp_9',
      ),
    ]);
    const [main] = threads;
    expect(threads.filter((thread) => thread !== main)).toEqual([threads[5]]);
    expect(await parts(forest, [main!, threads[5]!])).toEqual(['main', 'side']);
    expect((await words(main!)).slice(2)).toEqual([
      'What is wrong?',
      'A pier.',
      'How old?',
      'Ninety years.',
      'Thanks',
      'Welcome.',
      'More',
      'More?',
      'Bye',
      'Bye.',
    ]);
    expect(await checkpoints(forest, main!)).toMatchObject([{ messages: 6 }]);
  });
});
