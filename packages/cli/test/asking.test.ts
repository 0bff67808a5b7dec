import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { says, startEmulator } from '@skein/emulator';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type SeededHome, seedHome } from './seeded-home.ts';
import { skein, skeinUnread } from './skein.ts';

let world: SeededHome;
let home: SeededHome['home'];
let store: SeededHome['store'];
const run = (...args: string[]) => world.run(...args);

beforeAll(async () => {
  world = await seedHome();
  ({ home, store } = world);
});

afterAll(() => world.remove());

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

  test('the reasoning of the demo is not sent to a provider later as its own, which would refuse its signature', async () => {
    const emulator = await startEmulator({ seed: 'provider' });
    const model = ['--model', 'anthropic/claude-sonnet-5', '-o', 'reasoning_effort', 'high'];
    const args = [...model, '--json', '--project', 'later-key', '--store', store];
    const { thread, node } = (await skein(home, ['ask', 'Hello?', ...args])).json();
    expect((await run('show', node, '--raw', '--project', 'later-key')).out).toContain('"signature"');
    const again = ['ask', 'And in the demo?', '--at', thread, ...args];
    expect((await skein(home, again)).err).not.toContain('unchanged');
    const later = await skein(home, ['ask', 'And now?', '--at', thread, ...args], '', emulator.env());
    expect(later).toMatchObject({ code: 0, err: expect.stringMatching(/unchanged; dropped .* reasoning/) });
    expect(emulator.log).toMatchObject([{ verdict: { refusal: undefined } }]);
    expect(JSON.parse(`${emulator.log[0]?.body}`).messages).toHaveLength(5);
    await emulator.close();
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

  test('models: long names do not push the columns of their line out of place, and 80 columns are enough', async () => {
    const lines = (await skein(home, ['models'])).out.trimEnd().split('\n');
    expect(new Set(lines.map((line) => line.search(/(set [A-Z]|no key needed)/))).size).toBe(1);
    expect(Math.max(...lines.map((line) => line.length))).toBeLessThan(80);
    const sizes = (await skein(home, ['models', 'bedrock'])).out.split('\n').filter((line) => / tokens$/.test(line));
    expect(new Set(sizes.map((line) => line.length)).size).toBe(1);
  });

  test('doctor: says what is wrong and fails', async () => {
    expect((await run('doctor', '--json')).json()).toMatchObject({ ok: true });
    const bad = await skein(home, ['doctor', '--store', 'postgres:NO_SUCH_VARIABLE']);
    expect(bad.code).toBe(1);
    expect(bad.out).toContain('NO_SUCH_VARIABLE is not set');
  });
});
