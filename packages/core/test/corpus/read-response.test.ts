import { describe, expect, it } from 'vitest';
import { dialect } from '../../src/index.ts';
import { FIXTURES } from '../fixtures/index.ts';
import { Echoes } from './echo.ts';
import { isWhole } from './received.ts';
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

describe.each(PROTOCOLS)('%s', (protocol) => {
  const home = dialect(protocol);

  it('every response is its envelope and its messages, and nothing else', () => {
    const all = unstreamed(protocol);
    const wrong = all.filter(({ response }) => !isWhole(protocol, response, home.readResponse(response)));
    console.log(`${protocol}: read ${all.length} responses${hasCorpus ? '' : ' (no corpus here, fixtures only)'}`);
    expect(wrong.map(({ name }) => name)).toEqual([]);
  });

  it('every reply comes back verbatim, but for what its losses name', () => {
    const echoes = new Echoes(protocol);
    for (const { name, response } of unstreamed(protocol)) echoes.add(name, home.readResponse(response));
    console.log(`${protocol}: echoed`, echoes.counts());
    expect(echoes.failures).toEqual([]);
    expect(echoes.counts().verbatim).toBeGreaterThanOrEqual(2);
  });
});
