import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import { assistant, system, user } from '@skein/core';
import { says, startEmulator } from '@skein/emulator';
import { openForest, ROOT } from '@skein/forest';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { skein, skeinUnread } from './skein.ts';
import { closeTerminals, openTerminal } from './terminal.ts';

const home = mkdtempSync(join(tmpdir(), 'skein-commands-'));
const store = join(home, 'forest');
const seeded = { asked: '', yarn: '', geese: '', thread: '', other: '' };
const run = (...args: string[]) => skein(home, [...args, '--store', store]);

beforeAll(async () => {
  const forest = await openForest(store);
  seeded.asked = await forest.append(ROOT, [system('Be brief.'), user('What is a skein?')]);
  const usage = { input: 10, cacheRead: 30, cacheWrite5m: 0, cacheWrite1h: 0, output: 7, reasoning: 2, native: '{}' };
  seeded.yarn = await forest.append(seeded.asked, [assistant('A length of yarn.\nCoiled.')], { usage, cost: 0.25 });
  // What a model writes must not reach the terminal as a command to it.
  seeded.geese = await forest.append(seeded.asked, [assistant('Geese \u001b[31min flight.')]);
  seeded.thread = (await forest.threads.create({ head: seeded.yarn, title: 'Of yarn' })).id;
  seeded.other = (await forest.threads.create({ head: seeded.geese, title: 'Of geese' })).id;
  await forest.threads.tag(seeded.other, { birds: true });
  await forest.close();
});

afterAll(async () => {
  await closeTerminals();
  rmSync(home, { recursive: true, force: true });
});

describe('reading', () => {
  test('threads: last changed first, by tag, in pages', async () => {
    const { out, code } = await run('threads', '--all');
    expect(code).toBe(0);
    const lines = out.trim().split('\n');
    expect(lines).toHaveLength(2);
    expect(lines[0]).toContain('Of geese #birds');
    expect(lines[1]).toContain(`${seeded.thread}  `);
    expect((await run('threads', '--tag', 'birds', '--json')).json().items).toMatchObject([{ id: seeded.other }]);
    const first = await run('threads', '--all', '--limit', '1', '--json');
    expect(first.json().items).toMatchObject([{ title: 'Of geese' }]);
    const rest = await run('threads', '--all', '--after', first.json().next, '--json');
    expect(rest.json().items).toMatchObject([{ title: 'Of yarn' }]);
  });

  test('log: the whole path, of a node and of a thread, by the beginning of their ids', async () => {
    const whole = await run('log', seeded.yarn.slice(0, 8));
    expect(whole.out).toMatch(
      /system[\s\S]*Be brief\.[\s\S]*user[\s\S]*What is a skein\?[\s\S]*A length of yarn\.\nCoiled\./,
    );
    const ofThread = await run('log', seeded.thread.slice(0, 10), '--json');
    expect(ofThread.json()).toMatchObject({
      thread: { id: seeded.thread },
      items: [{ role: 'system' }, { text: 'What is a skein?' }, { id: seeded.yarn, takes: [{ cost: 0.25 }] }],
    });
    expect((await run('log', seeded.yarn, '--oneline')).out.trim().split('\n')).toHaveLength(3);
  });

  test('what a model wrote does not steer the terminal, and colours are not for pipes', async () => {
    const { out } = await skein(home, ['log', seeded.geese, '--store', store], '', { CI: '1', FORCE_COLOR: '1' });
    expect(out).toContain('Geese \ufffd[31min flight.');
    expect(out).not.toContain('\u001b');
  });

  test('show: facts, the exact text, and JSON', async () => {
    const { out } = await run('show', seeded.yarn);
    expect(out).toContain(`node    ${seeded.yarn}`);
    expect(out).toContain('40 in · 7 out · $0.250000');
    const raw = await run('show', seeded.geese, '--raw');
    expect(raw.out).toBe(assistant('Geese \u001b[31min flight.').raw);
    expect((await run('show', seeded.geese, '--json')).json()).toMatchObject({ depth: 3, role: 'assistant' });
    const none = await run('show', seeded.yarn, '--request');
    expect(none).toMatchObject({ code: 1, out: '' });
  });

  test('tree: the whole forest, and what is below a node', async () => {
    const { out } = await run('tree');
    expect(out).toContain(`├─ ${seeded.yarn.slice(0, 10)} assistant A length of yarn. Coiled.`);
    expect(out).toContain(`└─ ${seeded.geese.slice(0, 10)}`);
    const below = (await run('tree', seeded.asked, '--json')).json();
    expect(below.items.map(({ id }: { id: string }) => id).toSorted()).toEqual([seeded.yarn, seeded.geese].toSorted());
    expect((await run('tree', '--limit', '1')).err).toContain('There are more');
  });

  test('search: by words and filters', async () => {
    const { out } = await run('search', 'length', 'yar');
    expect(out.trim().split('\n')).toHaveLength(1);
    expect(out).toContain('length of yarn. Coiled.');
    expect((await run('search', 'skein', '--role', 'user', '--json')).json().items).toMatchObject([
      { node: seeded.asked },
    ]);
    expect(await run('search', 'nowhere')).toMatchObject({ code: 0, out: '', err: 'Nothing was found.\n' });
  });

  test('diff: where two threads part', async () => {
    const { out } = await run('diff', seeded.thread, seeded.geese);
    expect(out).toContain(`They share 2 messages, up to ${seeded.asked.slice(0, 10)}.`);
    expect(out).toContain('- A length of yarn.\n- Coiled.');
    expect(out).toContain('+ Geese');
    expect((await run('diff', seeded.yarn, seeded.geese, '--json')).json()).toMatchObject({
      shared: seeded.asked,
      a: [{ id: seeded.yarn }],
      b: [{ id: seeded.geese }],
    });
  });

  test('usage: of a thread, of everything, and since a day', async () => {
    expect((await run('usage', seeded.thread)).out).toContain('40 tokens, of them 30 from the cache (75 %)');
    expect((await run('usage', '--json')).json()).toMatchObject({ cost: 0.25, usage: { output: 7 } });
    expect((await run('usage', '--since', '2999-01-01', '--json')).json()).toMatchObject({ replies: 0 });
  });

  test('usage: a cost of which nothing is known is not shown as no cost', async () => {
    const folder = join(home, 'priceless');
    const forest = await openForest(folder);
    const usage = { input: 1, cacheRead: 0, cacheWrite5m: 0, cacheWrite1h: 0, output: 1, reasoning: 0, native: '{}' };
    const said = await forest.append(ROOT, [user('Go'), assistant('Gone.')], { usage });
    await forest.close();
    expect((await skein(home, ['usage', said, '--store', folder])).out).toMatch(/^cost {5}not known$/m);
  });
});

describe('writing and upkeep', () => {
  test('bookmark: set, listed, taken away', async () => {
    const { id } = (await run('bookmark', seeded.yarn.slice(0, 8), 'Good', '--json')).json();
    expect((await run('bookmark')).out).toContain(`${id}  ${seeded.yarn.slice(0, 10)}`);
    expect((await run('bookmark', '--remove', id)).code).toBe(0);
    expect((await run('bookmark', '--json')).json()).toEqual({ items: [] });
  });

  test('export and import: segments give the same nodes elsewhere, Markdown is for people', async () => {
    const file = join(home, 'all.jsonl');
    expect(await run('export', '--out', file)).toMatchObject({ code: 0, out: '' });
    expect((await run('export', '--out', file)).err).toContain('is there already');
    const copy = join(home, 'copy');
    const imported = await skein(home, ['import', file, '--store', copy, '--json']);
    expect(imported.json()).toMatchObject({ format: 'segments', problems: [] });
    expect((await skein(home, ['show', seeded.yarn, '--raw', '--store', copy])).out).toBe(
      (await run('show', seeded.yarn, '--raw')).out,
    );
    expect((await run('export', seeded.thread, '--format', 'markdown')).out).toContain('A length of yarn.');
    const messages = await run('export', seeded.yarn, '--format', 'messages');
    expect(messages.json()).toHaveLength(3);
  });

  test('import: what cannot be read is told, and the rest is there', async () => {
    const file = join(home, 'some.jsonl');
    writeFileSync(
      file,
      '{"messages":[{"role":"user","content":"Hi"},{"role":"assistant","content":"Ho"}]}\n{"messages":5}\n',
    );
    const { code, out, err } = await run(
      'import',
      file,
      '--format',
      'fine-tuning',
      '--dialect',
      'openai-chat',
      '--project',
      'imported',
    );
    expect(code).toBe(1);
    expect(out).toBe('fine-tuning: 1 conversation, 2 messages, 2 of them new; 1 could not be read.\n');
    expect(err).toContain('line 2');
  });

  test('import: of thousands that cannot be read the first few are told, and how many more', async () => {
    const file = join(home, 'broken.jsonl');
    writeFileSync(file, '{"messages":5}\n'.repeat(10_000));
    const { code, err } = await run('import', file, '--format', 'fine-tuning', '--dialect', 'openai-chat');
    expect(code).toBe(1);
    expect(err.trim().split('\n')).toHaveLength(6);
    expect(err).toContain('and 9995 more');
  });

  test('import: bare messages have a title, the first words of the question', async () => {
    const file = join(home, 'bare.json');
    writeFileSync(file, '[{"role":"system","content":"Be brief."},{"role":"user","content":"Whose\\nyarn is this?"}]');
    await run('import', file, '--dialect', 'openai-chat', '--project', 'bare');
    expect((await run('threads', '--project', 'bare')).out).toContain('Whose yarn is this?');
  });

  test('import: what nothing says is asked for by the names of flags', async () => {
    const file = join(home, 'unnamed.json');
    writeFileSync(file, '[{"role":"user","content":"Hi"}]');
    for (const args of [[], ['--format', 'messages']]) {
      const { err } = await run('import', file, ...args);
      expect(err).toContain('--dialect');
      expect(err).not.toContain('`');
    }
  });

  test('export on a terminal: what a model wrote does not steer it', async () => {
    const folder = join(home, 'steering');
    const forest = await openForest(folder);
    const said = await forest.append(ROOT, [user('Go'), assistant('A\u001b[2JB\u009b31mC\u202eD')]);
    await forest.close();
    for (const format of ['markdown', 'messages', 'segments']) {
      const args = format === 'segments' ? [] : [said];
      const terminal = openTerminal(home, ['export', ...args, '--format', format, '--store', folder]);
      expect(await terminal.ended).toBe(0);
      for (const steering of ['\u001b[2J', '\u009b', '\u202e']) expect(terminal.raw).not.toContain(steering);
      expect(terminal.raw).toContain('C\ufffdD');
    }
    const piped = await skein(home, ['export', said, '--format', 'markdown', '--store', folder]);
    expect(piped.out).toContain('A\u001b[2JB\u009b31mC\u202eD');
  });

  test('export to a folder that is not there names the folder', async () => {
    const ran = await run('export', '--out', join(home, 'missing', 'x.md'));
    expect(ran).toMatchObject({ code: 1, out: '' });
    expect(ran.err).toContain(`There is no folder ${join(home, 'missing')}:`);
  });

  test('export in the older layout, and verify it', async () => {
    const folder = join(home, 'older');
    expect((await run('export', '--format', 'older', '--out', folder)).code).toBe(0);
    expect((await skein(home, ['verify', folder, '--json'])).json()).toMatchObject({ ok: true, unreadable: 0 });
    expect((await skein(home, ['verify', store])).err).toContain(`skein fsck --store ${store}`);
  });

  test('others may use the forest meanwhile, but for pack and gc', async () => {
    expect(await run('fsck')).toMatchObject({ code: 0, out: 'All is well.\n' });
    const busy = join(home, 'busy');
    const writer = await openForest(busy);
    const hello = await writer.append(ROOT, [user('Hello')]);
    expect((await skein(home, ['tree', '--store', busy])).out).toContain('Hello');
    expect((await skein(home, ['bookmark', hello, 'Here', '--store', busy])).code).toBe(0);
    expect((await writer.bookmarks.list()).items).toMatchObject([{ node: hello, title: 'Here' }]);
    const refused = (await skein(home, ['pack', '--store', busy])).err;
    expect(refused).toContain(`Process ${process.pid} on ${hostname()} is at work`);
    expect(refused).toContain('Stop it first');
    await writer.close();
    expect((await skein(home, ['pack', '--store', busy, '--json'])).json()).toMatchObject({ removed: 0 });
    expect((await skein(home, ['gc', '--store', busy])).out).toContain('records kept, 0 removed');
  });

  test('fsck of a damaged forest fails', async () => {
    const folder = join(home, 'damaged');
    const forest = await openForest(folder);
    await forest.append(ROOT, [user('Hello')]);
    await forest.close();
    damage(folder);
    const { code, json } = await skein(home, ['fsck', '--store', folder, '--json']);
    expect(code).toBe(1);
    expect(json().ok).toBe(false);
  });

  test('tree, log and export of a damaged forest show the rest, say where the damage is, and fail', async () => {
    const folder = join(home, 'damaged-in-part');
    const forest = await openForest(folder);
    const top = await forest.append(ROOT, [user('First')]);
    const below = await forest.append(await forest.append(top, [user('Hello')]), [user('Last')]);
    await forest.append(top, [user('Beside')]);
    await forest.close();
    damage(folder);
    for (const [args, shown] of [
      [['tree'], ['First', 'Last', 'Beside', '(damaged)']],
      [
        ['log', below],
        ['First', 'Last'],
      ],
      [
        ['export', '--format', 'markdown'],
        ['First', 'Beside'],
      ],
      [['export'], ['First', 'Last', 'Beside']],
    ] as const) {
      const { code, out, err } = await skein(home, [...args, '--store', folder]);
      for (const text of shown) expect(out).toContain(text);
      expect(out).not.toContain('Hallo');
      expect(err).toMatch(/damaged at \w+\.jsonl:\d+/);
      expect(code).toBe(1);
    }
    const packed = await skein(home, ['pack', '--store', folder]);
    expect(packed.err).toContain('set-aside');
    expect((await skein(home, ['tree', '--store', folder])).out).toContain('First');
  });
});

describe('asking', () => {
  test('ask: an answer from the demo, kept with its exact request; more of it by --at', async () => {
    const first = await run('ask', 'Hello?', '--json', '--project', 'asked');
    expect(first.err).toContain('DEMO');
    const { node, text, thread } = first.json();
    expect(text).toContain('Hello?');
    const { out } = await run('show', node, '--request', '--project', 'asked');
    expect(JSON.parse(out)).toMatchObject({ messages: [{ role: 'user' }] });
    const next = await skein(home, ['ask', '--at', thread, '--store', store, '--project', 'asked'], 'And from a pipe?');
    expect(next.out).toContain('And from a pipe?');
    expect((await run('log', thread, '--json', '--project', 'asked')).json().items).toHaveLength(4);
  });

  test.each([
    ['the output is', ['stdout']],
    ['output and errors are', ['stdout', 'stderr']],
  ] as const)('ask: the answer is not lost when %s closed before it came, as head does', async (_what, unread) => {
    const project = `unread-${unread.length}`;
    expect(await skeinUnread(home, ['ask', 'Hello?', '--store', store, '--project', project], unread)).toBe(0);
    const [{ thread }] = (await run('threads', '--json', '--project', project)).json().items;
    const { items } = (await run('log', thread.id, '--json', '--project', project)).json();
    expect(items).toMatchObject([{ role: 'user' }, { role: 'assistant', text: expect.stringContaining('Hello?') }]);
  });

  test('export: whoever stops reading ends it, without an error', async () => {
    expect(await skeinUnread(home, ['export', '--store', store], ['stdout'])).toBe(0);
  });

  test('ask and run: usage and cost are of this answer, not of all equal ones before it', async () => {
    const emulator = await startEmulator({ seed: 'cost' });
    mkdirSync(join(home, 'brief'));
    writeFileSync(join(home, 'brief', 'brief.yaml'), 'model: anthropic/claude-sonnet-4-5\nsystem_prompt: Be brief.\n');
    for (const args of [
      ['ask', 'How much?'],
      ['run', 'brief', 'How much?', '--agents', join(home, 'brief')],
    ]) {
      const paid = [...args, '--json', '--project', 'cost', '--store', store];
      const first = (await skein(home, paid, '', emulator.env())).json();
      const second = (await skein(home, paid, '', emulator.env())).json();
      expect(first.cost).toBeGreaterThan(0);
      expect(second).toMatchObject({ node: first.node, usage: first.usage, cost: first.cost });
    }
    await emulator.close();
  });

  test('what the demo answers costs nothing, and usage counts no money for it', async () => {
    const first = (await run('ask', 'How much?', '--json', '--project', 'free')).json();
    expect(first).toMatchObject({ cost: 0, usage: { output: expect.any(Number) } });
    const total = (await run('usage', '--json', '--project', 'free')).json();
    expect(total).toMatchObject({ replies: 1, cost: 0, withoutPrice: 0 });
  });

  test('ask: JSON by a schema', async () => {
    const file = join(home, 'schema.json');
    writeFileSync(file, '{"type":"object","properties":{"n":{"type":"integer"}},"required":["n"]}');
    for (const model of ['anthropic/claude-sonnet-4-5', 'openai/gpt-5.2', 'google/gemini-3-pro']) {
      const { out } = await run('ask', 'How many?', '--schema', file, '--model', model, '--project', 'asked');
      expect(JSON.parse(out), model).toEqual({ n: expect.any(Number) });
    }
  });

  test('ask: the preset of the configuration, the variable or the flag reaches the model', async () => {
    const folder = join(home, 'presets');
    mkdirSync(folder);
    writeFileSync(
      join(folder, 'skein.config.yaml'),
      'preset: careful\npresets:\n  careful: { temperature: 0.2, max_tokens: 77, n: 3 }\n  wild: { temperature: 1 }\n',
    );
    const emulator = await startEmulator();
    const sent = async (env: Record<string, string>, ...flags: string[]) => {
      const question = ['ask', 'Hi', '--model', 'openai-chat/gpt-4o', '--store', store, '--project', 'presets'];
      const { code, err } = await skein(folder, [...question, ...flags], '', { ...emulator.env(), ...env });
      expect(code, err).toBe(0);
      const { temperature, max_completion_tokens: most, n } = JSON.parse(emulator.log.at(-1)!.body.toString());
      return [temperature, most, n];
    };
    expect(await sent({})).toEqual([0.2, 77, undefined]);
    expect(await sent({}, '--max-tokens', '9')).toEqual([0.2, 9, undefined]);
    expect(await sent({ SKEIN_PRESET: 'wild' })).toEqual([1, undefined, undefined]);
    expect(await sent({}, '--preset', 'wild')).toEqual([1, undefined, undefined]);
    await emulator.close();
    const unknown = await skein(folder, ['ask', 'Hi', '--preset', 'wyld', '--store', store]);
    expect(unknown).toMatchObject({ code: 2, err: expect.stringContaining('There is no preset "wyld"') });
  });

  test('agents and run: an agent works on a goal with its tools', async () => {
    mkdirSync(join(home, 'agents'));
    writeFileSync(
      join(home, 'agents', 'clock.yaml'),
      'name: Clock\nprovider: anthropic\nmodel: claude-sonnet-4-5\nsystem_prompt: Tell the time.\ntools: [current_time]\napprove: [current_time]\n',
    );
    expect((await skein(home, ['agents', '--json'])).json().items).toMatchObject([
      { id: 'clock', tools: ['current_time'] },
    ]);
    const { code, json } = await run('run', 'clock', 'What time is it?', '--yes', '--json', '--project', 'agents');
    expect(json()).toMatchObject({ status: 'done' });
    expect(code).toBe(0);
    expect((await run('run', 'clok', 'Hm')).err).toContain('There is: clock.');
  });

  test('agents: a broken file is told, the others are listed, and the exit code is not 0', async () => {
    const folder = join(home, 'some-broken');
    mkdirSync(folder);
    writeFileSync(join(folder, 'good.yaml'), 'provider: anthropic\nmodel: claude-sonnet-4-5\nclass_name: Good\n');
    expect((await skein(home, ['agents', '--agents', folder])).code).toBe(0);
    writeFileSync(join(folder, 'loop.yaml'), 'provider: anthropic\nparams: &a\n  stop: *a\n');
    const { code, out, err } = await skein(home, ['agents', '--agents', folder]);
    expect(out).toContain('good');
    expect(err).toContain('loop.yaml:3');
    expect(code).toBe(1);
    const listed = await skein(home, ['agents', '--agents', folder, '--json']);
    expect(listed.json()).toMatchObject({ items: [{ id: 'good' }], problems: [{}, { severity: 'error' }] });
    expect(listed.code).toBe(1);
  });

  test('run --yes: what came before an approval is shown once, and all replies of the run are counted', async () => {
    const emulator = await startEmulator();
    const call = { type: 'tool-use', name: 'current_time', input: {} } as const;
    const first = { blocks: [{ type: 'text', text: 'Let me look.' }, call] } as const;
    emulator.script('anthropic-messages', [first, says('It is late.')]);
    const args = ['run', 'clock', 'Late?', '--yes', '--store', store, '--project', 'approved'];
    const { out, err } = await skein(home, args, '', emulator.env());
    await emulator.close();
    expect(out).toBe('Let me look.\nIt is late.\n');
    expect(err).toContain('2 replies, $0.');
  });

  test('models: which providers have keys, never the keys', async () => {
    const { out, json } = await skein(home, ['models', '--json'], '', { OPENAI_API_KEY: 'sk-secret' });
    const states = Object.fromEntries(json().items.map(({ id, key }: { id: string; key: string }) => [id, key]));
    expect(states).toMatchObject({ openai: 'there', anthropic: 'missing', ollama: 'not needed' });
    expect(out).not.toContain('secret');
    expect((await skein(home, ['models', 'anthropic'])).out).toMatch(/^anthropic\/claude/m);
  });

  test('doctor: says what is wrong and fails', async () => {
    expect((await run('doctor', '--json')).json()).toMatchObject({ ok: true });
    const bad = await skein(home, ['doctor', '--store', 'postgres:NO_SUCH_VARIABLE']);
    expect(bad.code).toBe(1);
    expect(bad.out).toContain('NO_SUCH_VARIABLE is not set');
  });
});

describe('what is hidden', () => {
  test('the rules of the configuration hold for every command, and exact exports are refused', async () => {
    const folder = join(home, 'hiding');
    mkdirSync(folder);
    writeFileSync(join(folder, 'skein.config.yaml'), `store: ${store}\nredaction: { patterns: [yarn] }\n`);
    for (const args of [
      ['log', seeded.yarn],
      ['show', seeded.yarn, '--raw'],
      ['search', 'yarn', '--json'],
      ['threads', '--all'],
      ['tree'],
      ['export', '--format', 'markdown'],
    ]) {
      const { out } = await skein(folder, args);
      expect(out, args[0]).toContain('[redacted]');
      expect(out, args[0]).not.toContain('yarn');
    }
    expect(await skein(folder, ['export'])).toMatchObject({ code: 1, out: '' });
    const answer = await skein(folder, ['ask', 'Tell me of yarn', '--project', 'hidden']);
    expect(answer.out).toContain('[redacted]');
    expect(answer.out).not.toContain('yarn');
  });
});

/** Changes one letter of the stored message. */
function damage(folder: string): void {
  const segments = join(folder, 'projects', 'default', 'segments');
  const file = join(segments, readdirSync(segments)[0]!);
  writeFileSync(file, readFileSync(file, 'utf8').replace('Hello', 'Hallo'));
}
