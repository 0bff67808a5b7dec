import { mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Emulator, says, startEmulator } from '@skein/emulator';
import { openForest } from '@skein/forest';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { skein } from './skein.ts';
import { closeTerminals, openTerminal } from './terminal.ts';

let home = '';
let emulator: Emulator;

beforeEach(async () => {
  home = mkdtempSync(join(tmpdir(), 'skein-chat-'));
  emulator = await startEmulator();
});
afterEach(async () => {
  await closeTerminals();
  await emulator.close();
  rmSync(home, { recursive: true, force: true });
});

const MODEL = 'anthropic/claude-sonnet-4-5';
const talk = (args: readonly string[] = [MODEL], env: object = {}) =>
  openTerminal(home, ['chat', ...args], { ...emulator.env(), ...env });
const script = (...replies: Parameters<typeof says>[0][]) =>
  emulator.script(
    'anthropic-messages',
    replies.map((text) => says(text)),
  );

test('a conversation: markdown, usage, a summary, and all of it in the forest', async () => {
  script('# Yarn\nA **length** of `yarn`.', 'Wool.');
  const chat = talk();
  await chat.see(/1> $/);
  chat.type('What is a skein?\r');
  expect(await chat.see(/2> $/)).toMatch(
    /\nYarn\nA length of yarn\.\n\d+ in, 0 cached \(0 %\) · \d+ out · \$0\.\d{6}\n/,
  );
  expect(chat.raw).toContain('\x1b[1mYarn\x1b[22m');
  chat.type('Of what?\r');
  await chat.see(/Wool\.[\s\S]*3> $/);
  chat.type('/quit\r');
  const [, thread = ''] =
    /2 turns: \d+ in[\s\S]*skein chat --at (\S+) continues/.exec(await chat.see(/continues it\./)) ?? [];
  expect(await chat.ended).toBe(0);

  const { items } = (await skein(home, ['log', thread, '--json'])).json();
  expect(items.map(({ text }: { text: string }) => text)).toEqual([
    'What is a skein?',
    '# Yarn\nA **length** of `yarn`.',
    'Of what?',
    'Wool.',
  ]);
  script('Again.');
  const more = talk([MODEL, '--at', thread]);
  await more.see(/Continuing from assistant: Wool\.[\s\S]*3> $/);
  more.type('And now?\r');
  await more.see(/Again\.[\s\S]*4> $/);
  more.type('\x04');
  expect(await more.ended).toBe(0);
});

test('branches: back, again, siblings, fork, tree, save', async () => {
  script('One.', 'Two.', 'Other two.', 'Third way.');
  const chat = talk();
  for (const [turn, text] of [
    [1, 'First?'],
    [2, 'Second?'],
  ] as const) {
    await chat.see(new RegExp(`${turn}> $`));
    chat.type(`${text}\r`);
  }
  await chat.see(/Two\.[\s\S]*3> $/);
  chat.type('/again\r');
  await chat.see(/Other two\.[\s\S]*3> $/);
  chat.type('/siblings\r');
  expect(await chat.see(/3> $/)).toMatch(/ {2}1 \w+ assistant Two\.\n\* 2 \w+ assistant Other two\./);
  chat.type('/siblings 1\r');
  await chat.see(/Now at: Two\.[\s\S]*3> $/);
  chat.type('/back\r');
  await chat.see(/Before: Second\?[\s\S]*2> $/);
  chat.type('Third?\r');
  await chat.see(/Third way\.[\s\S]*3> $/);
  chat.type('/fork 1\r');
  await chat.see(/Thread \w+, from after turn 1\.[\s\S]*2> $/);
  chat.type('/tree\r');
  const tree = await chat.see(/2> $/);
  expect(tree).toMatch(/user First\?/);
  expect(tree).toMatch(/\* \w+ assistant One\./);
  for (const said of ['Two.', 'Other two.', 'Third way.']) expect(tree).toContain(said);
  chat.type('/save My talk\r');
  await chat.see(/"My talk" is thread/);
  chat.type('/quit\r');
  expect(await chat.ended).toBe(0);

  const threads = (await skein(home, ['threads', '--all', '--json'])).json().items;
  expect(threads.map(({ title }: { title: string }) => title).toSorted()).toEqual(['First?', 'My talk']);
  expect((await skein(home, ['bookmark'])).out).toContain('My talk');
});

test('thoughts are one line, and shown when asked for', async () => {
  emulator.script('anthropic-messages', {
    blocks: [
      { type: 'thinking', text: 'They mean yarn.' },
      { type: 'text', text: 'Yarn.' },
    ],
  });
  const chat = talk([MODEL, '--think', '2000']);
  await chat.see(/1> $/);
  chat.type('What?\r');
  const shown = await chat.see(/2> $/);
  expect(shown).toContain('(thought: 15 characters, /thinking shows them)\nYarn.\n');
  expect(shown).not.toContain('They mean');
  chat.type('/thinking\r');
  await chat.see(/They mean yarn\.\n/);
});

test('calls are asked about: no with a reason, yes, always', async () => {
  mkdirSync(join(home, 'agents'));
  writeFileSync(
    join(home, 'agents', 'clock.yaml'),
    `name: Clock\nmodel: ${MODEL}\nsystem_prompt: Tell the time.\ntools: [current_time]\napprove: [current_time]\n`,
  );
  const call = { blocks: [{ type: 'tool-use', name: 'current_time', input: {} }] } as const;
  emulator.script('anthropic-messages', [call, says('Then not.'), call, call, says('It is late.')]);
  const chat = talk(['clock']);
  await chat.see(/Clock, anthropic\/claude-sonnet-4-5[\s\S]*1> $/);
  chat.type('What time is it?\r');
  await chat.see(/→ current_time \{\}[\s\S]*a\(lways\): $/);
  chat.type('maybe\r');
  await chat.see(/a\(lways\): $/);
  chat.type('n not now\r');
  await chat.see(/not now[\s\S]*Then not\.[\s\S]*2> $/);
  expect(emulator.log.at(-1)?.body.toString()).toContain('not now');
  chat.type('And now?\r');
  await chat.see(/a\(lways\): $/);
  chat.type('a\r');
  await chat.see(/It is late\.[\s\S]*3> $/);
  expect(emulator.log.map(({ verdict }) => verdict.refusal)).toEqual([
    undefined,
    undefined,
    undefined,
    undefined,
    undefined,
  ]);
  chat.type('/quit\r');
  expect(await chat.ended).toBe(0);
});

test('Ctrl+C stops the answer and keeps what came; twice leaves', async () => {
  emulator.script(
    'anthropic-messages',
    says('A beginning that never ends.', { pieces: 8, break: { after: { events: 4 }, how: 'hang' } }),
  );
  const chat = talk();
  await chat.see(/1> $/);
  chat.type('Tell me\r');
  await chat.see(/A beginn/);
  chat.type('\x03');
  await chat.see(/Stopped; what came is kept\.[\s\S]*2> $/);
  chat.type('\x03');
  expect(await chat.ended).toBe(0);
  const [thread] = (await skein(home, ['threads', '--all', '--json'])).json().items;
  expect((await skein(home, ['log', thread.id, '--json'])).json().items.at(-1).text).toMatch(/^A beginn/);
});

test('Ctrl+C at the prompt: takes the line away, then warns, then leaves', async () => {
  const chat = talk();
  await chat.see(/1> $/);
  chat.type('half a thou');
  await chat.see(/half a thou$/);
  chat.type('\x03');
  await chat.see(/\n1> $/);
  chat.type('\x03');
  await chat.see(/Ctrl\+C once more leaves\.[\s\S]*1> $/);
  chat.type('\x03');
  expect(await chat.ended).toBe(0);
  expect(emulator.log).toEqual([]);
});

test('several lines: by a backslash and by pasting; arrow up finds them in the next run', async () => {
  const chat = talk();
  await chat.see(/1> $/);
  chat.type('one\\\r');
  await chat.see(/… $/);
  chat.type('two\r');
  await chat.see(/Echo: one\ntwo\n[\s\S]*2> $/);
  chat.type('\x1b[200~three\rfour\x1b[201~');
  await chat.see(/four$/);
  chat.type('\r');
  await chat.see(/Echo: three\nfour\n[\s\S]*3> $/);
  chat.type('/quit\r');
  await chat.ended;

  const file = join(home, '.local', 'share', 'skein', 'chat-history');
  expect(readFileSync(file, 'utf8')).toBe('one\\\ntwo\nthree\nfour\n/quit\n');
  expect(statSync(file).mode & 0o777).toBe(0o600);
  const next = talk();
  await next.see(/1> $/);
  next.type('\x1b[A\x1b[A');
  await next.see(/four$/);
  next.type('\r');
  await next.see(/Echo: four\n/);
});

test('another model, mistakes, and a model that fails, without an end to the conversation', async () => {
  const chat = talk(undefined, { NO_COLOR: '1' });
  await chat.see(/1> $/);
  chat.type('/modle\r');
  await chat.see(/There is no command \/modle\. Did you mean \/model\?[\s\S]*1> $/);
  chat.type('/back\r');
  await chat.see(/Nothing was asked yet\.[\s\S]*1> $/);
  chat.type('/model openai/gpt-5.2\r');
  await chat.see(/openai\/gpt-5\.2\n1> $/);
  emulator.script('openai-responses', { error: { status: 400, message: 'no such thing' } });
  chat.type('//slash\r');
  await chat.see(/skein: .*no such thing.*\/again asks once more\)\n2> $/);
  chat.type('/again\r');
  await chat.see(/Echo: \/slash\n[\s\S]*2> $/);
  chat.type('/help\r');
  await chat.see(/\/siblings \[number\]/);
  chat.type('/quit\r');
  expect(await chat.ended).toBe(0);
  // biome-ignore lint/suspicious/noControlCharactersInRegex: colours are what must not be there
  expect(chat.raw).not.toMatch(/\x1b\[\d+m/);
});

test('while another process has the forest open, both see what the other says', async () => {
  const forest = await openForest(join(home, 'forest'));
  const chat = talk([MODEL, '--store', join(home, 'forest')]);
  await chat.see(/1> $/);
  chat.type('Hello\r');
  await chat.see(/Echo: Hello\n[\s\S]*2> $/);
  const [thread] = (await forest.threads.list()).items;
  expect((await forest.node(thread!.head)).message.text).toBe('Echo: Hello');
  await forest.close();
});

test('without a key the demo answers; without a terminal chat says what to take', async () => {
  const chat = openTerminal(home, ['chat']);
  await chat.see(/DEMO[\s\S]*1> $/);
  chat.type('Hello\r');
  await chat.see(/demo model[\s\S]*2> $/i);
  const piped = await skein(home, ['chat']);
  expect(piped).toMatchObject({ code: 2, err: 'skein: chat needs a terminal: in scripts, use skein ask.\n' });
});

test('several lines by Alt+Enter and """, attachments, Tab for commands and models, and a table', async () => {
  writeFileSync(join(home, 'notes.txt'), 'Buy wool.');
  script('| a | b |\n|---|---|\n| 1 | 22 |\n', 'Yes.');
  const chat = talk();
  await chat.see(/1> $/);
  chat.type('/mod\t');
  await chat.see(/\/model $/);
  chat.type('anthropic/claude-so\t');
  await chat.see(/claude-sonnet-$/);
  chat.type('4-6\r');
  await chat.see(/anthropic\/claude-sonnet-4-6\n[\s\S]*1> $/);
  chat.type('/attach not\t');
  await chat.see(/notes\.txt$/);
  chat.type('\r');
  await chat.see(/1 attachment for the next message\.[\s\S]*1 \+1> $/);
  chat.type('one\x1b\rtwo\r');
  await chat.see(/a +│ b[\s\S]*2> $/);
  expect(chat.raw).toContain('─┼─');
  const sent = () => JSON.parse(emulator.log.at(-1)!.body.toString());
  expect(sent().model).toBe('claude-sonnet-4-6');
  expect(JSON.stringify(sent().messages[0].content)).toContain('one\\ntwo');
  expect(JSON.stringify(sent().messages[0].content)).toContain('Buy wool.');
  chat.type('"""\rthree\r\rfour\r"""\r');
  await chat.see(/Yes\.[\s\S]*3> $/);
  expect(JSON.stringify(sent().messages.at(-1).content)).toContain('three\\n\\nfour');
  chat.type('\x04');
  expect(await chat.ended).toBe(0);
});
