import { system, user } from '@skein/core';
import { says } from '@skein/emulator';
import { ROOT } from '@skein/forest';
import { expect, test } from 'vitest';
import { APIS, bodies, expectAccepted, grow, start, weather } from './kit.ts';

const CALL = { blocks: [{ type: 'tool-use', name: 'get_weather', input: { city: 'Oslo' } }] } as const;
const KEEPING = APIS.filter(({ protocol }) =>
  /^(anthropic-messages|openai-responses|google-interactions)$/.test(protocol),
);

test.each(KEEPING)(
  'generations send only what is new, and show what was sent: $protocol',
  async ({ protocol, model }) => {
    const emulator = await start();
    const { forest, engine } = grow(emulator);
    const options = { model, tools: [weather], serverState: true };
    const node = await forest.append(ROOT, [system('Be brief.'), user('Weather in Oslo?')]);
    emulator.script(protocol, [CALL, says('Cold.'), says('Yes.')]);
    const first = await (await engine.generate(node, options)).result;
    const next = await forest.append(first.branches[0]!.head, [user('Sure?')]);
    const second = await (await engine.generate(next, options)).result;
    expectAccepted(emulator);
    const { head } = second.branches[0]!;
    const replies = (await forest.path(head)).filter(({ role }) => role === 'assistant');
    const shown = await Promise.all(replies.map(async ({ id }) => (await forest.request(id)).body));
    expect(shown).toEqual(bodies(emulator));
    const list = (body: string) => JSON.parse(body).messages ?? JSON.parse(body).input;
    expect(shown.map((body) => list(body).length)).toEqual([1, 1, 1]);
    const whole = await forest.request(head, { stateless: true });
    expect(list(whole.body)).toHaveLength(5);
    expect(whole.body).toContain('Be brief.');
    expect(JSON.parse(whole.body)).not.toHaveProperty('thread');
    expect(await forest.fsck()).toEqual([]);
  },
);
