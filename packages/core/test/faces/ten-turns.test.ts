import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Brain, type Emulator, type Protocol, type ReplyBlock, rawJson } from '@skein/emulator';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { bundleScript, type FreshScript } from '../fresh-script.ts';
import { APIS, type Api, expectAccepted, modelOf, start } from '../run/kit.ts';
import { complaints } from './bytes-kept.ts';
import type { Turn } from './turn.ts';

let folder = '';
let script: FreshScript<Turn, string>;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'skein-faces-'));
  script = await bundleScript(fileURLToPath(new URL('./turn.ts', import.meta.url)));
});

afterAll(async () => {
  await script.close();
  await rm(folder, { recursive: true, force: true });
});

const FACES = ['chat', 'llm', 'list'] as const;

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

/** Says so many things, in modules or in processes of their own, and gives the file that is left. */
async function talk(emulator: Emulator, api: Api, face: Turn['face'], turns: number, how: TalkOptions = {}) {
  const { stream = false, inProcesses = false } = how;
  const path = join(await mkdtemp(join(folder, 'talk-')), 'saved.json');
  const run = inProcesses ? script.runInProcess : script.run;
  for (let turn = 1; turn <= turns; turn++) {
    const text = `Question ${turn}`;
    const said = await run({ face, model: modelOf(api), path, text, stream, env: emulator.env() });
    expect(said).toBe(`Answer to ${text} \u00e9\u2028😀`);
  }
  expectAccepted(emulator);
  expect(emulator.log).toHaveLength(2 * turns);
  return path;
}

interface TalkOptions {
  readonly stream?: true;
  readonly inProcesses?: true;
}

describe.each(APIS)('$protocol', (api) => {
  test.each(FACES)('ten turns through %s, each from its file alone, keep every byte', async (face) => {
    const emulator = await start({ brain });
    const path = await talk(emulator, api, face, 10);
    expect(complaints(emulator.log)).toEqual([]);
    expect(emulator.log.at(-1)?.body.toString()).toContain('2512292042121000001');
    expect(await readFile(path, 'utf8')).not.toMatch(/sk-emulator/);
  });

  test('streamed, too, what was sent is sent again as it was', async () => {
    const emulator = await start({ brain });
    await talk(emulator, api, 'chat', 3, { stream: true });
    const inOnePiece = emulator.log.map((entry) => ({ ...entry, served: undefined }));
    expect(complaints(inOnePiece)).toEqual([]);
  });
});

test.each(FACES)('three turns through %s, each in a new process, keep every byte', async (face) => {
  const emulator = await start({ brain });
  await talk(emulator, APIS[0]!, face, 3, { inProcesses: true });
  expect(complaints(emulator.log)).toEqual([]);
});

test('the comparer sees a byte that changed', async () => {
  const emulator = await start({ brain });
  await talk(emulator, APIS[0]!, 'chat', 1);
  const altered = emulator.log.map((entry, index) =>
    index === 0 ? entry : { ...entry, body: Buffer.from(entry.body.toString().replace('1.50', '1.5')) },
  );
  expect(complaints(emulator.log)).toEqual([]);
  expect(complaints(altered)).toHaveLength(1);
});
