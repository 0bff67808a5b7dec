import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { assistant, type Message, system, toolResult, user } from '../../message/index.ts';
import {
  anthropicMessages,
  type CachePoint,
  type Dialect,
  joinManifest,
  openaiChat,
  openaiResponses,
  type WriteRequest,
  type WrittenRequest,
  writeRequest,
} from '../index.ts';
import { bedrockConverse, googleInteractions } from '../more.ts';
import type { Draft, RequestWriter } from './writer.ts';

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
  [
    'such an answer in a history with a system text',
    [user('Hi'), assistant('Yes?'), system('Be brief.'), assistant('It is')],
    [assistant(' late.'), user('So?')],
  ],
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

const MODELS = new Map<Dialect, string>([
  [anthropicMessages, 'claude-sonnet-4-5'],
  [openaiChat, 'openai/gpt-4o'],
  [openaiResponses, 'gpt-5.2'],
  [googleInteractions, 'gemini-3.6-flash'],
]);

/** Writes requests in a dialect of its own, and says how many drafts the rules looked at in each. */
function start(from = anthropicMessages, usesServerTools: RequestWriter['usesServerTools'] | null = () => false) {
  let count = 0;
  const { writer } = from;
  const dropUnpaired = (drafts: readonly Draft[], isWhole: boolean) => {
    count = Math.max(count, drafts.length);
    return writer.dropUnpaired?.(drafts, isWhole) ?? new Map<number, undefined>();
  };
  const { usesServerTools: _, ...others } = writer;
  const dialect = { ...from, writer: { ...others, dropUnpaired, ...(usesServerTools && { usesServerTools }) } };
  return (messages: readonly Message[], more: Partial<WriteRequest> = {}) => {
    count = 0;
    const request = writeRequest(dialect, { model: MODELS.get(from)!, messages, ...more });
    return { ...request, count };
  };
}

const SAID = [user('One?'), assistant('Yes.'), user('Two?'), assistant('Yes.'), user('Three?')];
const MORE = [assistant('No.'), user('Four?')];
const ALL = [...SAID, ...MORE];

describe('a request goes on from where an earlier one was settled', () => {
  it('whether its manifest is known or not', () => {
    const write = start();
    const { manifest, count } = write(SAID);
    expect(count).toBe(5);
    expect(write(ALL).count).toBe(4);
    expect(write([...ALL, ...MORE]).count).toBe(4);
    expect(write(ALL, { previous: manifest }).count).toBe(2);
    expect(write(SAID, { previous: manifest }).count).toBe(0);
  });

  it('also if the same is sent again, or less', () => {
    const write = start();
    write(ALL);
    expect(write(ALL).count).toBe(2);
    expect(write(ALL.slice(0, -1)).count).toBe(1);
    expect(write(SAID).count).toBe(5);
  });

  it('the longest, if several begin like it', () => {
    const write = start();
    for (const messages of [ALL, SAID]) write(messages);
    expect(write([...ALL, ...MORE]).count).toBe(4);
    expect(write([...SAID, user('Really?')]).count).toBe(3);
    expect(write([...SAID.slice(0, -1), user('Edited?')]).count).toBe(2);
    expect(write([...SAID.slice(0, -2), assistant('Edited.'), user('Three?')]).count).toBe(5);
  });

  it('in front of an answer that came in two parts', () => {
    const write = start();
    const said = [user('One?'), assistant('Yes.'), user('Two?'), assistant('It is'), assistant(' late.'), user('So?')];
    write(said);
    expect(write([...said, ...MORE]).count).toBe(5);
  });

  it('in two branches in turn', () => {
    const write = start();
    const other = [...SAID, assistant('Perhaps.'), user('Four?')];
    for (const messages of [ALL, other]) write(messages);
    expect(write([...ALL, ...MORE]).count).toBe(4);
    expect(write([...other, ...MORE]).count).toBe(4);
  });
});

const { home } = anthropicMessages;
const withRefused = (...names: string[]) => ({
  ...home,
  policies: { ...home.policies, refusedFields: [...home.policies.refusedFields, ...names] },
});
const NAMED = { model: 'anthropic/claude-sonnet-4-5' };
const { policies } = openaiChat.home;
const router = { ...openaiChat.home, policies: { ...policies, reasoningBoundTo: { default: ['upstream' as const] } } };

it.each<[string, boolean, Dialect, Partial<WriteRequest>, Partial<WriteRequest>]>([
  ['with other parameters', true, anthropicMessages, {}, { params: { temperature: 0 }, cache: [-1] }],
  ['for a copy of the provider', true, anthropicMessages, {}, { provider: withRefused() }],
  ['for another model', false, anthropicMessages, {}, { model: 'claude-opus-4-8' }],
  ['for another account', false, anthropicMessages, { account: 'a' }, { account: 'b' }],
  ['for an account', false, anthropicMessages, {}, { account: 'b' }],
  ['for another issuer', false, anthropicMessages, {}, { provider: { ...home, issuer: 'gateway.example' } }],
  ['for a provider with another name', false, anthropicMessages, {}, { provider: { ...home, id: 'other' } }],
  ['for a provider without a member', false, anthropicMessages, {}, { provider: { ...home, apiVersion: undefined! } }],
  [
    'for a provider with another member',
    false,
    anthropicMessages,
    {},
    { provider: { ...home, keyless: true } as typeof home },
  ],
  ['that takes fewer fields', false, anthropicMessages, {}, { provider: withRefused('note') }],
  [
    'that refuses as many other fields',
    false,
    anthropicMessages,
    { provider: withRefused('note') },
    { provider: withRefused('mark') },
  ],
  [
    'with other policies',
    false,
    anthropicMessages,
    {},
    { provider: { ...home, policies: { ...home.policies, alternateRoles: !home.policies.alternateRoles } } },
  ],
  ['with another system text', false, anthropicMessages, { system: 'Be brief.' }, { system: 'Be kind.' }],
  ['with another tool', false, anthropicMessages, {}, { tools: [{ name: 'f', parameters: {} }] }],
  ['with other approvals', false, anthropicMessages, { unapproved: ['a', 'b'] }, { unapproved: ['a', 'c'] }],
  ['with the same approvals', true, anthropicMessages, { unapproved: ['a', 'b'] }, { unapproved: ['a', 'b'] }],
  ['kept by the API', false, openaiResponses, {}, { extra: { store: true } }],
  ['behind what the API keeps', false, googleInteractions, {}, { extra: { previous_interaction_id: 'i' } }],
  [
    'for another provider behind a router',
    false,
    openaiChat,
    { ...NAMED, provider: router, extra: { provider: { only: ['one'] } } },
    { ...NAMED, provider: router, extra: { provider: { only: ['two'] } } },
  ],
])('a request %s goes on from where another was settled: %s', (_, isSettled, dialect, first, second) => {
  const write = start(dialect);
  write(SAID, first);
  expect(write(ALL, second).count).toBe(isSettled ? 4 : 7);
});

it('system texts in front are no part of what is settled', () => {
  const write = start();
  const said = [system('Be brief.'), ...SAID];
  write(said);
  expect(write([...said, ...MORE]).count).toBe(4);
});

it('three starts that end in the same message are kept, the last ones', () => {
  const write = start();
  for (const system of ['a', 'b', 'c', 'd']) write(SAID, { system });
  expect(['b', 'c', 'd', 'a'].map((system) => write(ALL, { system }).count)).toEqual([4, 4, 4, 7]);
});

it('64 branches are kept, the last ones', () => {
  const write = start();
  const branches = Array.from({ length: 65 }, (_, at) => [user(`${at}?`), assistant('Yes.'), user('So?')]);
  for (const branch of branches) write([...branch, ...MORE]);
  expect(branches.slice(1).map((branch) => write([...branch, ...MORE]).count)).toEqual(branches.slice(1).map(() => 2));
  expect(write([...branches[0]!, ...MORE]).count).toBe(5);
});

it('a system text that stood before an answer is a question where the answer is left out', () => {
  const dialect = { ...anthropicMessages };
  const write = (to: Dialect, messages: readonly Message[]) => writeRequest(to, { model: 'claude-opus-4-8', messages });
  const say = (block: string) => anthropicMessages.parseMessage(`{"role":"assistant","content":[${block}]}`);
  const search = say('{"type":"server_tool_use","id":"s","name":"web_search","input":{}}');
  const found = say('{"type":"web_search_tool_result","tool_use_id":"s","content":[]},{"type":"text","text":"Found."}');
  const said = [user('One?'), assistant('Yes.'), user('Two?'), system('Be brief.'), search];
  write(dialect, [...said, found, user('So?')]);
  const again = write(dialect, [...said, user('So?')]);
  expect(again.body).toBe(write(anthropicMessages, [...said, user('So?')]).body);
  expect(again.body).not.toContain('"role":"system"');
});

it('a search that may still be answered keeps a start from being settled, whether a dialect says which draft it is in or not', () => {
  const search = '{"type":"server_tool_use","id":"s","name":"web_search","input":{}}';
  const open = anthropicMessages.parseMessage(
    `{"role":"assistant","content":[{"type":"text","text":"Wait"},${search}]}`,
  );
  const said = [user('One?'), open, ...SAID];
  const { usesServerTools } = anthropicMessages.writer;
  for (const told of [usesServerTools!, null]) {
    const write = start(anthropicMessages, told);
    write(said);
    expect(write([...said, ...MORE]).count).toBe(9);
  }
});

it('a start that is used again and again is kept', () => {
  const write = start();
  write(SAID);
  for (let times = 0; times < 65; times++) expect(write(SAID).count).toBe(2);
});

it('what a previous request sent is written again for a provider that refuses other fields', () => {
  const write = start();
  const { manifest } = write(SAID);
  expect(write(ALL, { previous: manifest, provider: withRefused() }).count).toBe(2);
  expect(write(ALL, { previous: manifest, provider: withRefused('note') }).count).toBe(7);
});

it('what a summary stands for is not sent, although it was settled before', () => {
  const write = start();
  const summary = anthropicMessages.parseMessage(
    '{"role":"assistant","content":[{"type":"compaction","content":"They met.","signature":"s"},{"type":"text","text":"Yes"}]}',
  );
  expect(write(SAID).body).toContain('One?');
  expect(write([...SAID, summary, user('So?')]).body).not.toContain('One?');
});

it('what rules have left out of a settled start is told again, in the order in which it would be told', () => {
  const model = 'claude-fable-5-1';
  const parse = (raw: string) => anthropicMessages.parseMessage(raw, { model, prefix: 'of another request' });
  const thought = parse(
    '{"role":"assistant","content":[{"type":"thinking","thinking":"hm","signature":"s"},{"type":"text","text":" "}]}',
  );
  const tools = parse('{"role":"system","content":[{"type":"tool_addition","tools":[]}]}');
  const turn = (text: string) => [user(`${text}?`), thought, tools, user(`${text}!`), assistant('Yes.')];
  const write = start();
  const said = [...turn('One'), ...turn('Two'), user('Three?')];
  write(said, { model });
  const all = [...said, ...turn('Four'), user('Five?')];
  const { count, losses } = write(all, { model });
  expect(count).toBeLessThan(all.length);
  expect(losses).toEqual(writeRequest(anthropicMessages, { model, messages: all }).losses);
  expect(losses.map(({ message, reason }) => [message, reason])).toEqual([
    ...[2, 7, 13].map((message) => [message, 'server-tool']),
    ...[1, 6, 12].map((message) => [message, 'prefix-bound']),
  ]);
});

it('requests that go on from the same one do not take each other’s answers for repeats', () => {
  const write = start(openaiResponses);
  const answer = openaiResponses.parseMessage(
    '[{"type":"message","id":"msg_1","status":"completed","role":"assistant","content":[{"type":"output_text","text":"Yes.","annotations":[]}]}]',
  );
  const first = write(SAID);
  const { manifest } = write(ALL, { previous: first.manifest });
  const [one, other] = ['a', 'b'].map((text) => write([...ALL, answer, user(text)], { previous: manifest }));
  expect(one!.body).toContain('"msg_1"');
  expect(other!.body).toBe(one!.body.replace('"a"', '"b"'));
});
