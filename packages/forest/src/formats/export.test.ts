import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { assistant, openaiChat, system, toolResult, user } from '@skein/core';
import fc from 'fast-check';
import { describe, expect, onTestFinished, test } from 'vitest';
import {
  createForest,
  type ExportOptions,
  exportOlder,
  exportText,
  type Forest,
  importFile,
  memoryStore,
  openForest,
  openOlder,
} from '../index.ts';
import { exampleFolder, put } from './older/test-folder.ts';
import { anyPlants, grow, plainMessage, plainPlants, recordsIn } from './test-forest.ts';

const empty = () => createForest(memoryStore());
/** A folder to be, gone when the test is over. */
function newFolder(): string {
  const outside = mkdtempSync(join(tmpdir(), 'skein-export-'));
  onTestFinished(() => rmSync(outside, { recursive: true, force: true }));
  return join(outside, 'folder');
}

async function exported(forest: Forest, options: ExportOptions): Promise<string> {
  let text = '';
  for await (const piece of exportText(forest, options)) text += piece;
  return text;
}

/** A question with two answers, one of them with a call. */
async function example() {
  const forest = empty();
  const asked = await forest.append('root', [system('Be brief.'), user('Weather?')], { at: 1 });
  const native = openaiChat.parseMessage(
    '{"role":"assistant","content":null,"tool_calls":[{"id":"c1","type":"function","function":{"name":"f","arguments":"{\\"n\\":1.0}"}}]}',
    { model: 'gpt-5.5' },
  );
  const called = await forest.append(asked, [native, toolResult('c1', 'Sun'), assistant('Sunny.')], {
    at: 2,
    author: 'model',
  });
  const other = await forest.append(asked, [assistant('Rain.')], { at: 3 });
  const { id: thread } = await forest.threads.create({ head: called, title: 'Weather' });
  await forest.bookmarks.add(called, 'Here');
  return { forest, asked, called, other, thread };
}

describe('segments', () => {
  test('into an empty forest: the same ids, takes, refs and texts', async () => {
    await fc.assert(
      fc.asyncProperty(anyPlants, async (plants) => {
        const forest = await grow(plants);
        const text = await exported(forest, { format: 'segments' });
        const copy = empty();
        expect((await importFile(copy, [text])).problems).toEqual([]);
        expect(await recordsIn(copy)).toEqual(await recordsIn(forest));
        expect(await copy.fsck()).toEqual([]);
        const before = await recordsIn(copy);
        expect(await importFile(copy, [text])).toMatchObject({ added: 0, problems: [] });
        expect(await recordsIn(copy)).toEqual(before);
      }),
      { numRuns: 40 },
    );
  });

  test('a part comes with what is above it, and with nothing beside it', async () => {
    const { forest, asked, called, other, thread } = await example();
    const parts = [
      [{ thread }, [called], [other]],
      [{ path: other }, [asked, other], [called]],
      [{ below: asked }, [called, other], []],
      [{ node: asked }, [asked], [called, other]],
    ] as const;
    for (const [of, inside, outside] of parts) {
      const copy = empty();
      expect((await importFile(copy, [await exported(forest, { format: 'segments', of })])).problems).toEqual([]);
      for (const id of inside) expect((await copy.node(id)).message.raw).toBe((await forest.node(id)).message.raw);
      for (const id of outside) await expect(copy.node(id)).rejects.toMatchObject({ code: 'unknown_node' });
      expect((await copy.threads.list()).items).toHaveLength('thread' in of ? 1 : 0);
      expect(await copy.fsck()).toEqual([]);
    }
  });

  test('a file of them can be copied into the folder of a forest', async () => {
    const { forest, called, thread } = await example();
    const folder = newFolder();
    mkdirSync(join(folder, 'projects/default/segments'), { recursive: true });
    const text = await exported(forest, { format: 'segments' });
    writeFileSync(join(folder, 'projects/default/segments/copied.jsonl'), text);
    const copy = await openForest(folder);
    expect((await copy.threads.get(thread)).head).toBe(called);
    expect(await recordsIn(copy)).toEqual(await recordsIn(forest));
    expect(copy.store.problems()).toEqual([]);
    await copy.close();
  });

  test('damaged lines are reported, what hangs on them is left out, and the rest is there', async () => {
    const { forest, called, other } = await example();
    const lines = (await exported(forest, { format: 'segments' })).split('\n');
    const rain = lines.findIndex((line) => line.startsWith('{"k":"body"') && line.includes('Rain'));
    lines[rain] = lines[rain]!.replace('Rain', 'Snow');
    lines.splice(3, 0, '{"k":"no', '{"k":"from the future"}');
    const copy = empty();
    const { problems } = await importFile(copy, [lines.join('\n')]);
    expect(problems.map(({ code }) => code).sort()).toEqual([
      'broken_tree',
      'broken_tree',
      'not_json',
      'wrong_shape',
      'wrong_shape',
    ]);
    expect((await copy.node(called)).message.text).toBe('Sunny.');
    await expect(copy.node(other)).rejects.toMatchObject({ code: 'unknown_node' });
    expect(await copy.fsck()).toEqual([]);
  });
});

describe('dialects', () => {
  test('messages of the dialect keep their bytes, others are translated', async () => {
    const { forest, called } = await example();
    const text = await exported(forest, { format: 'messages', of: { path: called } });
    expect(text).toContain('"arguments":"{\\"n\\":1.0}"');
    expect(JSON.parse(text).map(({ role }: { role: string }) => role)).toEqual([
      'system',
      'user',
      'assistant',
      'tool',
      'assistant',
    ]);
  });

  test('what is lost is told, a system text outside of the messages, too', async () => {
    const { forest, called } = await example();
    const told: string[] = [];
    const text = await exported(forest, {
      format: 'messages',
      dialect: 'anthropic-messages',
      of: { path: called },
      onLosses: ({ losses }) => told.push(...losses.map(({ path }) => path)),
    });
    expect(JSON.parse(text)[0].role).toBe('user');
    expect(told).toContain('system');
  });

  test.each(['openai-chat', 'openai-responses', 'anthropic-messages', 'google-generatecontent'])(
    '%s: every end is a line, and lines import again',
    async (dialect) => {
      const { forest } = await example();
      for (const format of ['messages', 'fine-tuning'] as const) {
        const text = await exported(forest, { format, dialect });
        expect(text.trim().split('\n')).toHaveLength(2);
        const copy = empty();
        const imported = await importFile(copy, [text], { dialect });
        expect(imported).toMatchObject({ format, elements: 2, problems: [] });
        const { items } = await copy.leaves();
        expect(items.map(({ message }) => message.text).sort()).toEqual(['Rain.', 'Sunny.']);
      }
    },
  );

  test("Skein's own blocks are exported, too", async () => {
    const { forest } = await example();
    const [line] = (await exported(forest, { format: 'messages', dialect: 'blocks' })).split('\n');
    expect(JSON.parse(line!)[0]).toEqual({ role: 'system', content: [{ type: 'text', text: 'Be brief.' }] });
  });

  test('another dialect is an error', async () => {
    const { forest } = await example();
    await expect(exported(forest, { format: 'messages', dialect: 'klingon' })).rejects.toMatchObject({
      code: 'unknown_format',
      message: expect.stringContaining('openai-chat'),
    });
  });
});

describe('Markdown', () => {
  test('shows everything, and no text can close a fence', async () => {
    const { forest, called, thread } = await example();
    await forest.append(called, [toolResult('c1', '```\nx')]);
    const text = await exported(forest, { format: 'markdown', of: { thread } });
    for (const part of [
      '# Weather',
      '## System',
      'Be brief.',
      '**Calls** `f`',
      '{"n":1.0}',
      '## Tool',
      'Sun',
      'Sunny.',
    ])
      expect(text).toContain(part);
    expect(await exported(forest, { format: 'markdown' })).toContain('````\n```\nx\n````');
  });
});

describe('the older layout', () => {
  test('written and read: the same messages', async () => {
    await fc.assert(
      fc.asyncProperty(
        plainPlants,
        fc.option(fc.string({ minLength: 1 }), { nil: undefined }),
        async (plants, prompt) => {
          const grown = await grow(plants);
          const forest = prompt === undefined ? grown : await below(grown, prompt);
          const folder = newFolder();
          const lost = new Set<string>();
          await exportOlder(forest, folder, {
            onLosses: ({ losses }) => {
              for (const { reason, detail } of losses) lost.add(`${reason} ${detail}`);
            },
          });
          // A message that was said twice in one place has one of its two takes there.
          expect([...lost].filter((loss) => loss !== 'unknown-field takes')).toEqual([]);
          const read = await openOlder(folder, { store: memoryStore() });
          const all = { limit: 1000 };
          const ids = async (one: Forest) => (await one.topology(all)).items.map(({ id }) => id).sort();
          expect(await ids(read)).toEqual(await ids(forest));
          expect(read.store.problems()).toEqual([]);
          const marked = async (one: Forest) => (await one.bookmarks.list(all)).items.map(({ node }) => node).sort();
          expect(new Set(await marked(read))).toEqual(new Set(await marked(forest)));
        },
      ),
      { numRuns: 25 },
    );
  });

  test('what the older layout itself said of roots and nodes is written back', async () => {
    const source = exampleFolder();
    put(source, 'root-1/nodes/node-1.json', {
      ...JSON.parse(readFileSync(join(source, 'root-1/nodes/node-1.json'), 'utf8')),
      colour: 'red',
    });
    const second = join(source, 'root-1/nodes/node-2.json');
    const unknown = '"mood":{"calm":12345678901234567890},"custom_data":{"json":"7"}';
    writeFileSync(
      second,
      readFileSync(second, 'utf8')
        .replace('"metadata": {', `"metadata": {${unknown},`)
        .replace('"raw": {}', '"raw": {"cached": 98765432109876543210}')
        .replace('"tools"', '"whim": "x", "tools"'),
    );
    const forest = await openOlder(source, { store: memoryStore() });
    const folder = newFolder();
    const losses: unknown[] = [];
    await exportOlder(forest, folder, { onLosses: (loss) => losses.push(loss) });
    expect(losses).toEqual([]);
    expect(JSON.parse(readFileSync(join(folder, 'roots.json'), 'utf8'))).toMatchObject([
      { createdAt: '2025-01-01T00:00:00.000Z' },
    ]);
    const files = [1, 2, 3, 4].map((n) => readFileSync(join(folder, `root-1/nodes/node-${n}.json`), 'utf8'));
    const call = files.find((file) => file.includes('Let me check.'))!;
    expect(call).toContain(unknown);
    expect(call).toMatch(
      /"usage":\{\s*"input_tokens": 10,\s*"output_tokens": 5,\s*"raw": \{"cached": 98765432109876543210\}/,
    );
    expect(call).toContain('"whim":"x"');
    expect(files.find((file) => file.includes('Weather in Paris?'))).toContain(',"colour":"red"}');
  });

  test('the time of a root without a prompt is written back', async () => {
    const source = exampleFolder();
    put(source, 'roots.json', [
      { id: 'root-2', createdAt: '2025-01-02T00:00:00.000Z', config: {}, child_ids: ['root-2/node-1'] },
    ]);
    const forest = await openOlder(source, { store: memoryStore() });
    const folder = newFolder();
    await exportOlder(forest, folder);
    expect(JSON.parse(readFileSync(join(folder, 'roots.json'), 'utf8'))).toMatchObject([
      { createdAt: '2025-01-02T00:00:00.000Z' },
    ]);
  });

  test("a provider's usage is kept as raw, and what the layout has no place for is told", async () => {
    const forest = empty();
    const native = '{"prompt_tokens": 3,"seed":12345678901234567890}';
    const usage = { input: 3, output: 1, cacheRead: 0, cacheWrite5m: 0, cacheWrite1h: 0, reasoning: 0, native };
    const node = await forest.append('root', [assistant('Hi.')], {
      ...{ author: 'model', model: 'm', provider: 'p', usage, cost: 0.5, extra: { importer: 'x', tags: [1] } },
    });
    await forest.note(node, 'Good');
    await forest.rate(node, 5);
    const folder = newFolder();
    const told: unknown[] = [];
    await exportOlder(forest, folder, { onLosses: ({ losses }) => told.push(...losses) });
    expect(readFileSync(join(folder, 'root-1/nodes/node-1.json'), 'utf8')).toContain(
      `"usage":{"input_tokens":3,"output_tokens":1,"raw":${native}}`,
    );
    expect(readFileSync(join(folder, 'root-1/nodes/node-1.json'), 'utf8')).toContain('"importer":"x"');
    expect(told).toEqual([
      {
        kind: 'dropped',
        message: 0,
        path: 'metadata',
        reason: 'unknown-field',
        detail: 'note, rating, cost, extra.tags',
      },
    ]);
  });

  test('no blank block is written, which the older reader refuses', async () => {
    const forest = empty();
    const call = { type: 'tool-use', id: 'c', name: 'f', parameters: {}, rawParameters: '{}' } as const;
    await forest.append('root', [
      user([{ type: 'media', mediaType: 'image/png', source: { kind: 'base64', data: 'AA==' } }]),
      assistant([{ type: 'text', text: ' \n' }, call]),
      toolResult('c', '', { isError: true }),
      assistant(''),
      user('  '),
    ]);
    const folder = newFolder();
    const told: string[] = [];
    await exportOlder(forest, folder, {
      onLosses: ({ losses }) => told.push(...losses.map(({ kind, path, reason }) => `${kind} ${path} ${reason}`)),
    });
    const messages = [1, 2, 3, 4, 5].map(
      (n) => JSON.parse(readFileSync(join(folder, `root-1/nodes/node-${n}.json`), 'utf8')).message,
    );
    const nothing = [{ type: 'text', text: '(empty)' }];
    expect(messages).toEqual([
      { role: 'user', content: nothing },
      { role: 'assistant', content: [{ type: 'tool-use', id: 'c', name: 'f', parameters: {} }] },
      { role: 'tool', tool_call_id: 'c', is_error: true, content: nothing },
      { role: 'assistant', content: nothing },
      { role: 'user', content: nothing },
    ]);
    expect(told).toEqual([
      'dropped content[0] unsupported-media',
      'synthesised content empty',
      'dropped content[0] empty',
      ...[1, 2, 3].flatMap(() => ['dropped content[0] empty', 'synthesised content empty']),
    ]);
  });

  test('what it has no words for is told, gathered results are kept apart, and facts are kept', async () => {
    const { forest, called, other } = await example();
    await forest.append(called, [
      user([
        { type: 'media', mediaType: 'image/png', source: { kind: 'base64', data: 'AA==' } },
        { type: 'text', text: 'See' },
      ]),
    ]);
    const folder = newFolder();
    const told: string[] = [];
    await exportOlder(forest, folder, { onLosses: ({ losses }) => told.push(...losses.map(({ reason }) => reason)) });
    expect(told).toEqual(['unsupported-media']);
    const read = await openOlder(folder, { store: memoryStore() });
    const { items } = await read.leaves();
    expect(items.map(({ message }) => message.text).sort()).toEqual(['Rain.', 'See']);
    expect(JSON.parse(readFileSync(join(folder, 'roots.json'), 'utf8'))).toMatchObject([
      { config: { systemPrompt: 'Be brief.' } },
    ]);
    const part = newFolder();
    await exportOlder(forest, part, { of: { path: other } });
    expect(
      (await (await openOlder(part, { store: memoryStore() })).leaves()).items.map(({ message }) => message.text),
    ).toEqual(['Rain.']);
    await expect(exportOlder(forest, part)).rejects.toMatchObject({ code: 'would_overwrite' });
  });
});

test('message arrays of any length: twice imported is once', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(plainMessage, { minLength: 1, maxLength: 10 }), async (messages) => {
      const forest = empty();
      const text = `[${messages.map(({ raw }) => raw).join(',')}]`;
      const first = await importFile(forest, [text], { dialect: 'blocks' });
      const before = await recordsIn(forest);
      expect(await importFile(forest, [text], { dialect: 'blocks' })).toEqual({ ...first, added: 0 });
      expect(await recordsIn(forest)).toEqual(before);
    }),
    { numRuns: 40 },
  );
});

/** The same conversations behind a system text. */
async function below(forest: Forest, prompt: string): Promise<Forest> {
  const copy = empty();
  const places = new Map([['0'.repeat(40), await copy.append('root', [system(prompt)])]]);
  for (const { id } of (await forest.topology({ limit: 1000 })).items) {
    const { parent, message } = await forest.node(id);
    places.set(id, await copy.append(places.get(parent)!, [message]));
  }
  return copy;
}

test('html: a page for readers in which nothing that was written is markup, a script or a request', async () => {
  const forest = empty();
  const evil =
    '<script>alert(1)</script> <img src=x onerror=alert(1)> [a](javascript:alert(1)) ![b](https://x.test/p.png)';
  const fenced = '```"><script>x\n</code></pre><script>alert(2)</script>\n```\n| <b> |\n|---|\n| `</td><script>` |';
  const head = await forest.append('root', [
    system('<style>*{display:none}</style>'),
    user(evil),
    assistant(`${fenced}\n\n[ok](https://example.test/?a=1&b="2) <https://x.test/"onmouseover="alert(1)>`),
  ]);
  const { id } = await forest.threads.create({ head, title: '</title><script>alert(3)</script>' });
  const text = await exported(forest, { format: 'html', of: { thread: id } });
  const tags = [...text.matchAll(/<\/?([a-z][\w-]*)/gi)].map(([, name]) => name!.toLowerCase());
  const known =
    'html head meta title style body main header h1 h2 p article div span time details summary pre code table thead tbody tr th td a footer';
  expect(tags.filter((name) => !known.split(' ').includes(name))).toEqual([]);
  expect(text.match(/<[^>]*\s(on\w+|src)\s*=/gi)).toBeNull();
  expect([...text.matchAll(/href="([^"]*)"/g)].every(([, address]) => address!.startsWith('https://'))).toBe(true);
  expect(text).toContain("default-src 'none'");
  expect(text).toContain('&lt;script&gt;alert(1)&lt;/script&gt;');
  expect(text.endsWith('</html>\n')).toBe(true);
});
