import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { type Brain, type Protocol, type ReplyBlock, rawJson } from '@skein/emulator';
import { build } from 'esbuild';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { APIS, expectAccepted, modelOf, start } from '../run/kit.ts';
import { complaints } from './bytes-kept.ts';

const execute = promisify(execFile);
let folder = '';

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'skein-faces-'));
  await build({
    entryPoints: [fileURLToPath(new URL('./turn.ts', import.meta.url))],
    outfile: join(folder, 'turn.mjs'),
    bundle: true,
    format: 'esm',
    platform: 'node',
    logLevel: 'silent',
  });
});

afterAll(() => rm(folder, { recursive: true, force: true }));

/** Google refuses fields that it does not know, even its own. */
const extraFor = (protocol: Protocol) =>
  protocol === 'google-generatecontent' ? {} : { extra: { block: { x_weight: rawJson('1.50') } } };

/** Thinks, calls with a number that a double cannot hold, and answers, with things that nobody knows. */
const brain: Brain = ({ protocol, text, results }) => {
  const thinks: ReplyBlock[] = protocol === 'openai-chat' ? [] : [{ type: 'thinking', text: `Hm: ${text}` }];
  const blocks: ReplyBlock[] =
    results.length > 0
      ? [{ type: 'text', text: `Answer to ${text} \u00e9\u2028😀` }]
      : [...thinks, { type: 'tool-use', name: 'look_up', input: '{"number": 2512292042121000001}' }];
  return { blocks, ...extraFor(protocol) };
};

describe.each(APIS)('$protocol', (api) => {
  test.each(['chat', 'llm', 'list'])('ten turns through %s, each in a new process, keep every byte', async (face) => {
    const emulator = await start({ brain });
    const path = join(folder, `${api.protocol}-${face}.json`);
    for (let turn = 1; turn <= 10; turn++) {
      const said = `Question ${turn}`;
      const { stdout } = await execute(process.execPath, [join(folder, 'turn.mjs'), face, modelOf(api), path, said], {
        env: emulator.env(),
      });
      expect(stdout).toBe(`Answer to ${said} \u00e9\u2028😀`);
    }
    expectAccepted(emulator);
    expect(emulator.log).toHaveLength(20);
    expect(complaints(emulator.log)).toEqual([]);
    expect(emulator.log.at(-1)?.body.toString()).toContain('2512292042121000001');
    expect(await readFile(path, 'utf8')).not.toMatch(/sk-emulator/);
  });

  test('streamed, too, what was sent is sent again as it was', async () => {
    const emulator = await start({ brain });
    const path = join(folder, `${api.protocol}-streamed.json`);
    for (const said of ['One', 'Two', 'Three']) {
      const args = [join(folder, 'turn.mjs'), 'chat', modelOf(api), path, said, 'stream'];
      await execute(process.execPath, args, { env: emulator.env() });
    }
    expectAccepted(emulator);
    const inOnePiece = emulator.log.map((entry) => ({ ...entry, served: undefined }));
    expect(complaints(inOnePiece)).toEqual([]);
  });
});

test('the comparer sees a byte that changed', async () => {
  const emulator = await start({ brain });
  const path = join(folder, 'altered.json');
  const [api] = APIS as unknown as [(typeof APIS)[number]];
  const args = [join(folder, 'turn.mjs'), 'chat', modelOf(api), path, 'One'];
  await execute(process.execPath, args, { env: emulator.env() });
  const altered = emulator.log.map((entry, index) =>
    index === 0 ? entry : { ...entry, body: Buffer.from(entry.body.toString().replace('1.50', '1.5')) },
  );
  expect(complaints(emulator.log)).toEqual([]);
  expect(complaints(altered)).toHaveLength(1);
});
