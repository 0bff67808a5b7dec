import { describe, expect, it } from 'vitest';
import {
  type Dialect,
  dialect,
  type Loss,
  type Message,
  type ProviderDescriptor,
  type Reply,
  toolResult,
  user,
} from '../../src/index.ts';
import { FIXTURES } from '../fixtures/index.ts';
import { isWhole, partsOf } from './received.ts';
import { exchanges, hasCorpus, PROTOCOLS, type Protocol } from './recordings.ts';

interface Unstreamed {
  readonly name: string;
  readonly response: string;
}

function unstreamed(protocol: Protocol): readonly Unstreamed[] {
  const fixtures = FIXTURES.filter((fixture) => fixture.dialect.id === protocol);
  return [
    ...fixtures.map((fixture) => ({ name: 'fixture', response: fixture.reply })),
    ...fixtures.map((fixture) => ({ name: 'fixture with calls', response: fixture.toolCallReply })),
    ...exchanges(protocol).flatMap(({ name, response }) => (response === undefined ? [] : [{ name, response }])),
  ];
}

/** The next request after a reply: its calls are answered, and the user says something more. */
function echo(to: Dialect, { message, envelope }: Reply): { body: string; losses: readonly Loss[] } {
  const results = message.toolUses.map((call) => toolResult(call.id, 'the answer'));
  return to.writeRequest({
    model: message.origin.model ?? 'some-model',
    messages: [user('Hello'), message, ...results, user('Go on')],
    provider: storingAs(to.home, envelope),
  });
}

/** The home provider; where the response was stored, so that its items can be referred to, it says so. */
function storingAs(home: ProviderDescriptor, envelope: string): ProviderDescriptor {
  if (!('store' in home.policies.quirks) || !/"store"\s*:\s*true/.test(envelope)) return home;
  const quirks = { ...home.policies.quirks, store: { default: true } };
  return { ...home, policies: { ...home.policies, quirks } };
}

/** Every reason for which a recorded reply may not come back as it is, and why. */
const REASONS: Readonly<Record<string, string>> = {
  'dropped empty': 'a reply that says nothing is refused by every API',
  'rewritten empty': 'chat refuses `tool_calls: []` (tool-calls-empty)',
  'synthesised tool-id': 'a compatible provider gave a call no id, and its result needs one',
  'dropped refused-field':
    'chat takes audio as its id only; reasoning without ciphertext that was not stored is not found',
  'rewritten refused-field': 'an item whose reasoning is left out stands alone only without its id (missing-reasoning)',
};

describe.each(PROTOCOLS)('%s', (protocol) => {
  const home = dialect(protocol);

  it('every response is its envelope and its messages, and nothing else', () => {
    const all = unstreamed(protocol);
    const wrong = all.filter(({ response }) => !isWhole(protocol, response, home.readResponse(response)));
    console.log(`${protocol}: read ${all.length} responses${hasCorpus ? '' : ' (no corpus here, fixtures only)'}`);
    expect(wrong.map(({ name }) => name)).toEqual([]);
  });

  it('every reply comes back verbatim, but for what its losses name', () => {
    const counts = new Map<string, number>();
    const failures = unstreamed(protocol).flatMap(({ name, response }) => {
      const reply = home.readResponse(response);
      const { body, losses } = echo(home, reply);
      const reasons = [...new Set(losses.map(({ kind, reason }) => `${kind} ${reason}`))].sort();
      const label = reasons.join(' and ') || 'verbatim';
      counts.set(label, (counts.get(label) ?? 0) + 1);
      return [
        ...reasons.filter((reason) => !Object.hasOwn(REASONS, reason)).map((reason) => `${name}: ${reason}`),
        ...missingParts(protocol, reply.message, losses, body).map((path) => `${name}: ${path} is not in the body`),
      ];
    });
    console.log(`${protocol}: echoed`, Object.fromEntries(counts));
    expect(failures).toEqual([]);
    expect(counts.get('verbatim')).toBeGreaterThanOrEqual(2);
  });
});

/** The parts that no loss names, yet are not in the body as they were received. */
function missingParts(protocol: Protocol, message: Message, losses: readonly Loss[], body: string): string[] {
  const ofMessage = losses.filter((loss) => loss.message === 1);
  if (ofMessage.some((loss) => loss.path === '' && loss.kind === 'dropped'))
    return message.text === '' && message.toolUses.length === 0 ? [] : ['everything'];
  const whole = protocol === 'openai-chat' || protocol === 'google-generatecontent' ? [['', message.raw] as const] : [];
  const parts = ofMessage.length === 0 ? [...whole, ...partsOf(protocol, message.raw)] : partsOf(protocol, message.raw);
  return parts
    .filter(([path, text]) => !body.includes(text) && !ofMessage.some((loss) => loss.path.startsWith(path)))
    .map(([path]) => path);
}
