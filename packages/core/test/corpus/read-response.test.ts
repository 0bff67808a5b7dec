import { describe, expect, it } from 'vitest';
import { dialect, type Loss, type Message, toolResult, user } from '../../src/index.ts';
import { FIXTURES } from '../fixtures/index.ts';
import { receivedTexts } from './received.ts';
import { type Exchange, exchanges, hasCorpus, PROTOCOLS, type Protocol } from './recordings.ts';

/** The next request after a reply: its calls are answered, and the user says something more. */
function echo(protocol: Protocol, message: Message): { body: string; losses: readonly Loss[] } {
  const results = message.toolUses.map((call) => toolResult(call.id, 'the answer'));
  const messages = [user('Hello'), message, ...results, user('Go on')];
  return dialect(protocol).writeRequest({ model: message.origin.model ?? 'some-model', messages });
}

function unstreamed(protocol: Protocol): readonly { readonly name: string; readonly response: string }[] {
  const recorded = exchanges(protocol).filter(
    (exchange): exchange is Exchange & { response: string } => exchange.response !== undefined,
  );
  const fixtures = FIXTURES.filter((fixture) => fixture.dialect.id === protocol);
  return [
    ...fixtures.map((fixture) => ({ name: 'fixture', response: fixture.reply })),
    ...fixtures.map((fixture) => ({ name: 'fixture with calls', response: fixture.toolCallReply })),
    ...recorded,
  ];
}

describe.each(PROTOCOLS)('%s', (protocol) => {
  it('every response is its envelope and its messages, and nothing else', () => {
    const all = unstreamed(protocol);
    const wrong = all.filter(
      ({ response }) => receivedTexts(protocol, response, dialect(protocol).readResponse(response)) === undefined,
    );
    console.log(`${protocol}: read ${all.length} responses${hasCorpus ? '' : ' (no corpus here, fixtures only)'}`);
    expect(wrong.map(({ name }) => name)).toEqual([]);
  });

  it('every reply comes back verbatim, but for what its losses name', () => {
    const counts = new Map<string, number>();
    for (const { name, response } of unstreamed(protocol)) {
      const reply = dialect(protocol).readResponse(response);
      const { body, losses } = echo(protocol, reply.message);
      const texts = receivedTexts(protocol, response, reply) ?? [];
      const missing = texts.filter((text) => !body.includes(text));
      const reasons =
        [...new Set(losses.map((loss) => `${loss.kind} ${loss.reason} ${loss.path}`))].sort().join('; ') || 'verbatim';
      counts.set(reasons, (counts.get(reasons) ?? 0) + 1);
      if (missing.length || losses.length) console.log(name, reasons, missing.length, texts.length);
    }
    console.log(protocol, counts);
  });
});
