import { describe, expect, test } from 'vitest';
import { modelOf, start, WAYS } from '../run/kit.ts';
import { messagesIn } from './compare.ts';
import { bodiesOf, expectExtending, inNewProcesses, Saved } from './kit.ts';

inNewProcesses();

describe.each(WAYS)('$protocol, stream: $stream', ({ api, protocol, stream }) => {
  test('ten turns with tools, each in a new process: each request extends the one before', async () => {
    const emulator = await start({ settings: { enforcePrefix: true } });
    const saved = new Saved(emulator);
    for (let turn = 0; turn < 10; turn++) {
      emulator.script(protocol, [
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
    const bodies = bodiesOf(emulator);
    expect(bodies).toHaveLength(20);
    expectExtending(bodies);
    expect(messagesIn(bodies.at(-1)!).length).toBeGreaterThan(38);
  });
});
