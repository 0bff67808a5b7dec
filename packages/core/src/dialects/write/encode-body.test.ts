import { describe, expect, it } from 'vitest';
import { assistant, type Message, system, user } from '../../message/index.ts';
import { anthropicMessages, openaiChat, type WriteRequest, type WrittenRequest, writeRequest } from '../index.ts';

/** A dialect of its own, which remembers nothing yet. */
function start(from = anthropicMessages) {
  const dialect = { ...from };
  const model = from === openaiChat ? 'gpt-4o' : 'claude-sonnet-4-5';
  return (messages: readonly Message[], more: Partial<WriteRequest> = {}) =>
    writeRequest(dialect, { model, messages, ...more });
}

const places: ArrayBuffer[] = [];

/** The number of the memory that bytes are in. */
function placeOf({ buffer }: Uint8Array<ArrayBuffer>): number {
  if (!places.includes(buffer)) places.push(buffer);
  return places.indexOf(buffer);
}

/** Where the bytes of a request are, which must be its text. */
async function send(request: WrittenRequest): Promise<number> {
  return request.withBytes(async (bytes) => {
    expect(new TextDecoder().decode(bytes)).toBe(request.body);
    return placeOf(bytes);
  });
}

const LONG = user(`é${'x'.repeat(4000)}`);
const MORE = [assistant('Yes?'), user('So?')];

describe('the bytes of a request stand behind those that an earlier one encoded', () => {
  it('in place', async () => {
    const write = start();
    const first = write([LONG]);
    const place = await send(first);
    expect(await send(write([LONG, ...MORE], { previous: first.manifest }))).toBe(place);
  });

  it('up to the first marker', async () => {
    const write = start();
    const cache = [-1];
    const first = write([LONG], { cache });
    const place = await send(first);
    const second = write([LONG, ...MORE], { cache, previous: first.manifest });
    const next = await send(second);
    expect(next).not.toBe(place);
    const third = write([LONG, ...MORE, ...MORE], { cache, previous: second.manifest });
    expect(await send(third)).toBe(next);
  });

  it('behind a system text that was written again', async () => {
    const write = start(openaiChat);
    const place = await send(write([LONG], { system: 'Be brief.' }));
    expect(await send(write([LONG, ...MORE], { system: 'Be brief.' }))).toBe(place);
    expect(await send(write([LONG, ...MORE], { system: 'Be quick.' }))).not.toBe(place);
  });

  it('up to the turn in which two conversations part', async () => {
    const write = start();
    const one = write([LONG, ...MORE]);
    const other = write([LONG, assistant('No?'), user('So?')]);
    const place = await send(one);
    expect(await send(other)).toBe(place);
    expect(await send(one)).toBe(place);
    const said = [LONG, ...MORE, assistant('No?')];
    await send(write([...said, user('Oh!')]));
    await send(write([...said, user('Why')]));
  });
});

describe('the bytes of a request stand somewhere else', () => {
  it('while those of the earlier one are being sent', async () => {
    const write = start();
    const first = write([LONG]);
    const next = (text: string) => write([LONG, assistant(text), user('So?')], { previous: first.manifest });
    await first.withBytes(async (bytes) => {
      expect(await send(next('Yes?'))).not.toBe(placeOf(bytes));
      expect(new TextDecoder().decode(bytes)).toBe(first.body);
    });
  });

  it('no longer when sending has failed', async () => {
    const write = start();
    const first = write([LONG]);
    let place = -1;
    const sending = first.withBytes((bytes) => {
      place = placeOf(bytes);
      return Promise.reject(new Error('The connection was lost.'));
    });
    await expect(sending).rejects.toThrow('lost');
    expect(await send(write([LONG, ...MORE], { previous: first.manifest }))).toBe(place);
  });

  it('if there is no room behind them, with room for those to come', async () => {
    const write = start();
    const first = write([LONG]);
    const place = await send(first);
    const second = write([LONG, assistant('Yes?'), LONG], { previous: first.manifest });
    const larger = await send(second);
    expect(larger).not.toBe(place);
    const third = write([LONG, assistant('Yes?'), LONG, ...MORE], { previous: second.manifest });
    expect(await send(third)).toBe(larger);
  });

  it('if what stands before the messages is different', async () => {
    const write = start();
    const place = await send(write([LONG]));
    expect(await send(write([LONG, ...MORE], { system: 'Be brief.' }))).not.toBe(place);
  });

  it('if the first message is different', async () => {
    const write = start();
    expect(await send(write([user('Hi'), ...MORE]))).not.toBe(await send(write([LONG, ...MORE])));
  });
});

it('a request that is sent again stands where it stood, unless a later one has taken the place', async () => {
  const write = start();
  const first = write([LONG]);
  const place = await send(first);
  expect(await send(first)).toBe(place);
  await send(write([LONG, ...MORE], { previous: first.manifest }));
  await send(first);
});

it('the bodies of three branches are kept, the last ones', async () => {
  const write = start();
  const requests = ['a', 'b', 'c', 'd'].map((system) => write([LONG], { system }));
  const found: number[] = [];
  for (const request of requests) found.push(await send(request));
  expect(new Set(found).size).toBe(4);
  for (const at of [1, 2, 3]) expect(await send(requests[at]!)).toBe(found[at]);
  expect(await send(requests[0]!)).not.toBe(found[0]);
});

it('a request without messages has bytes, too', async () => {
  const request = start(openaiChat)([], { system: system('Be brief.') });
  await send(request);
  expect(request.body).toContain('Be brief.');
});

it('bytes that somebody has are lent, too', async () => {
  const request = start()([LONG]);
  expect(await request.withBytes(async (bytes) => bytes)).not.toBe(request.bytes());
  expect(await request.withBytes(async (bytes) => bytes)).toBe(request.bytes());
});
