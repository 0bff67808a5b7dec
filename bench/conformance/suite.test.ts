import { describe, expect, test } from 'vitest';
import { judge } from './judge.mjs';
import { PROTOCOLS, REPLIES } from './replies/index.mjs';
import { roundTrips } from './suite.mjs';

describe.each(PROTOCOLS)('%s', (protocol) => {
  test.each([
    ['JSON', false],
    ['stream', true],
  ])('Skein sends all of a reply back: %s', async (_, stream) => {
    const results = await roundTrips('skein', protocol, stream);
    for (const { verdict, ...rest } of results)
      expect({ ...rest, ...verdict }).toMatchObject({ leaves: 1, bytes: 1, inOrder: true, missing: [] });
    if (!stream) expect(results.map(({ verdict }) => verdict?.verbatim)).toEqual([1, 1, 1]);
  });
});

describe('the judge sees', () => {
  const { elements } = REPLIES['anthropic-messages'].calls;
  const judged = (list: readonly string[]) =>
    judge('anthropic-messages', elements, `{"messages":[{"role":"assistant","content":[${list.join(',')}]}]}`);

  test('an element that is missing', () => {
    expect(judged(elements.slice(1))).toMatchObject({ verbatim: 3 / 4, inOrder: true });
    expect(judged(elements.slice(1)).missing).toContain('.signature: "EqQBCgIYAhIMtool=="');
  });

  test('an integer that was rounded', () => {
    const rounded = elements.map((element) => element.replace('2512292042121000001', '2512292042121000000'));
    expect(judged(rounded).missing).toEqual(['.input.id: 2512292042121000001']);
  });

  test('another spelling of the same values', () => {
    const printed = elements.map((element) => JSON.stringify(JSON.parse(element.replace('2512292042121000001', '1'))));
    const again = printed.map((element) => element.replace('"id":1,', '"id":2512292042121000001,'));
    expect(judged(again).leaves).toBe(1);
    expect(judged(again).bytes).toBeLessThan(1);
  });

  test('elements that changed places', () => {
    expect(judged([...elements].reverse())).toMatchObject({ leaves: 1, inOrder: false });
  });
});
