import { expect, test } from 'vitest';
import { ask, start } from './support.ts';

const protocol = 'google-generatecontent';
const user = { role: 'user', parts: [{ text: 'Hello' }] };

interface Part {
  readonly functionCall?: { readonly name: string; readonly id: string };
  readonly thoughtSignature?: string;
}

async function call(emulator: Awaited<ReturnType<typeof start>>, more: object = {}) {
  emulator.script(protocol, {
    blocks: [
      { type: 'tool-use', name: 'f', input: {} },
      { type: 'tool-use', name: 'g', input: {} },
    ],
    ...more,
  });
  const { answer } = await ask(emulator, protocol, { contents: [user] });
  const content = answer.candidates?.[0]?.content as unknown as { role: string; parts: Part[] };
  const responses = content.parts.flatMap(({ functionCall }) =>
    functionCall ? [{ functionResponse: { name: functionCall.name, id: functionCall.id, response: {} } }] : [],
  );
  const next = async (parts: readonly object[]) => {
    const contents = [user, { ...content, parts }, { role: 'user', parts: responses }];
    return (await ask(emulator, protocol, { contents })).rule;
  };
  return { parts: content.parts, next };
}

test('the first call of a step is signed, and comes back as it was', async () => {
  const { parts, next } = await call(await start());
  const [first, second] = parts as [Part, Part];
  expect(first.thoughtSignature).toBeDefined();
  expect(second.thoughtSignature).toBeUndefined();
  expect(await next(parts)).toBeUndefined();
  const { thoughtSignature: _, ...bare } = first;
  expect(await next([bare, second])).toBe(`${protocol}.sig-missing`);
  expect(await next([{ ...first, thoughtSignature: 'c2ln' }, second])).toBe(`${protocol}.sig-corrupt`);
});

test('older models sign nothing', async () => {
  const emulator = await start();
  emulator.script(protocol, { blocks: [{ type: 'tool-use', name: 'f', input: {} }] });
  const path = '/v1beta/models/gemini-2.5-flash:generateContent';
  const { answer } = await ask(emulator, protocol, { contents: [user] }, { path });
  expect(JSON.stringify(answer)).not.toContain('thoughtSignature');
});

test('unknown parts and fields of its own making are let back in', async () => {
  const emulator = await start();
  const hologram = { type: 'native', value: { hologramData: { depth: 3 } } } as const;
  const blocks = [{ type: 'tool-use', name: 'f', input: {}, extra: { mood: 'calm', x_pace: 1 } }, hologram] as const;
  const { parts, next } = await call(emulator, { blocks, extra: { part: { speed: 1 } } });
  expect(parts[0]).toMatchObject({ mood: 'calm', functionCall: { speed: 1 } });
  expect(await next(parts)).toBeUndefined();
  emulator.settings = { refuseOwnFields: true };
  expect(await next(parts)).toBe(`${protocol}.unknown-field`);
});
