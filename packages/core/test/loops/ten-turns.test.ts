import { expect, test } from 'vitest';
import { APIS, type Api, modelOf, start, WAYS } from '../run/kit.ts';
import { messagesIn } from './compare.ts';
import { bodiesOf, expectExtending, Saved, useFreshTurns } from './kit.ts';

useFreshTurns();

/** Talks for some turns of two requests each, and gives the bodies of all requests. */
async function converse(api: Api, stream: boolean, turns: number, inProcesses?: true): Promise<string[]> {
  const emulator = await start({ settings: { enforcePrefix: true } });
  const saved = new Saved(emulator, inProcesses);
  for (let turn = 0; turn < turns; turn++) {
    emulator.script(api.protocol, [
      {
        blocks: [
          { type: 'thinking', text: `Thought ${turn}.` },
          { type: 'text', text: 'One moment.' },
          { type: 'tool-use', name: 'get_weather', input: `{ "city":"City ${turn}","n":${turn}.0}` },
          { type: 'tool-use', name: 'fail', input: {} },
        ],
      },
      { blocks: [{ type: 'text', text: `Answer ${turn}.`, extra: { x_turn: turn } }] },
    ]);
    const options = { model: modelOf(api), env: emulator.env(), stream, system: 'Be brief.' };
    const { text } = await saved.turn({ say: `Question ${turn}`, options });
    expect(text).toBe(`Answer ${turn}.`);
  }
  return bodiesOf(emulator);
}

test.each(WAYS)(
  '$protocol, stream: $stream: ten turns with tools, each from text alone: each request extends the one before',
  async ({ api, stream }) => {
    const bodies = await converse(api, stream, 10);
    expect(bodies).toHaveLength(20);
    expectExtending(bodies);
    expect(messagesIn(bodies.at(-1)!).length).toBeGreaterThan(38);
  },
);

test.each(APIS)('$protocol: three turns, each in a new process: each request extends the one before', async (api) => {
  const bodies = await converse(api, true, 3, true);
  expect(bodies).toHaveLength(6);
  expectExtending(bodies);
});
