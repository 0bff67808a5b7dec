import fc from 'fast-check';
import { expect, it } from 'vitest';
import { assistant, type Message, system, toolResult, user } from '../../message/index.ts';
import { bedrockConverse } from '../bedrock-converse/index.ts';
import { anthropicMessages, type CachePoint, joinManifest, type WrittenRequest, writeRequest } from '../index.ts';

const turn = fc.record({
  text: fc.string({ unit: 'grapheme', minLength: 1 }),
  cache: fc.constantFrom<readonly CachePoint[]>([], [-1], [0, -1]),
  /** How many requests back the one stands that this one goes on from; whether its manifest is known, and this one sent. */
  back: fc.constantFrom(1, 1, 1, 2),
  isKnown: fc.boolean(),
  isSent: fc.boolean(),
});

it('bytes and text of a request are those of its manifest, whatever was sent, marked or branched off before', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(turn, { maxLength: 8 }), async (turns) => {
      const written: { messages: readonly Message[]; request: WrittenRequest }[] = [];
      for (const { text, cache, back, isKnown, isSent } of turns) {
        const before = written.at(-back);
        const messages = [...(before?.messages ?? []), user(text), assistant('é東🙂'), user(`${text}?`)];
        const request = writeRequest(anthropicMessages, {
          model: 'claude-sonnet-4-5',
          messages,
          cache,
          ...(before && isKnown && { previous: before.request.manifest }),
        });
        written.push({ messages, request });
        const body = joinManifest(request.manifest, (index) => messages[index]!.raw);
        expect(request.body).toBe(body);
        if (!isSent) continue;
        expect(await request.withBytes(async (bytes) => new TextDecoder().decode(bytes))).toBe(body);
      }
      for (const { request } of written) {
        expect(await request.withBytes(async (bytes) => new TextDecoder().decode(bytes))).toBe(request.body);
        expect(new TextDecoder().decode(request.bytes())).toBe(request.body);
        expect(request.bytes()).toBe(request.bytes());
      }
    }),
  );
});

const CALL = { type: 'tool-use', id: 'a', name: 'f', parameters: {}, rawParameters: '{}' } as const;

it.each([
  ['a question behind results', [user('Hi'), assistant([CALL]), toolResult('a', 'x')], [user('So?')]],
  ['a question behind a system text', [user('Hi'), assistant('Yes?'), system('Be brief.')], [user('So?')]],
  ['an answer behind its own beginning', [user('Hi'), assistant('It is')], [assistant(' late.'), user('So?')]],
])('%s joins the end of the request before it, where roles alternate', (_, start, more) => {
  const tools = [{ name: 'f', parameters: { type: 'object' } }];
  const write = (messages: readonly Message[], previous?: WrittenRequest) =>
    writeRequest(bedrockConverse, {
      model: 'us.anthropic.claude-sonnet-4-5-20250929-v1:0',
      messages,
      tools,
      ...(previous && { previous: previous.manifest }),
    });
  const next = write([...start, ...more], write(start));
  expect(next.body).toBe(write([...start, ...more]).body);
  const roles = JSON.parse(next.body).messages.map(({ role }: { role: string }) => role);
  expect(roles.some((role: string, at: number) => role === roles[at - 1])).toBe(false);
});
