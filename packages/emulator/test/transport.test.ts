import { once } from 'node:events';
import { describe, expect, test } from 'vitest';
import { protocols, says } from '../src/index.ts';
import { eventsOf, hello, post, start, streamOf, waits } from './support.ts';

const long = 'A text that is long enough to come in a good number of pieces.';

describe('a scripted error', () => {
  test.each(protocols)('has the shape of %s and tells when to retry, in three forms', async (protocol) => {
    const emulator = await start();
    const error = { status: 429, message: 'Slow down.' };
    emulator.script(protocol, [
      { error, retryAfter: { seconds: 7 } },
      { error, retryAfter: { dateIn: 60_000 } },
      { error, retryAfter: { ms: 250 }, headers: { 'X-Extra': 'yes' } },
    ]);
    const answers = [];
    for (let count = 0; count < 3; count += 1) answers.push(await post(emulator, protocol, hello[protocol]));
    expect(answers.map(({ status }) => status)).toEqual([429, 429, 429]);
    expect(answers[0]?.headers.get('retry-after')).toBe('7');
    expect(answers[1]?.headers.get('retry-after')).toBe('Mon, 02 Nov 2026 00:01:00 GMT');
    expect(answers[2]?.headers.get('retry-after-ms')).toBe('250');
    expect(answers[2]?.headers.get('x-extra')).toBe('yes');
    const isPlain = protocol === 'bedrock-converse' || protocol === 'cohere-chat';
    const said = { message: 'Slow down.' };
    expect(await answers[0]?.json()).toMatchObject(isPlain ? said : { error: said });
  });

  test.each(protocols)('arrives inside a stream of %s', async (protocol) => {
    const emulator = await start();
    emulator.script(protocol, says(long, { pieces: 8, streamError: { afterEvents: 3, message: 'Too busy.' } }));
    const response = await streamOf(emulator, protocol, hello[protocol]);
    const events = eventsOf(await response.text());
    expect(response.status).toBe(200);
    expect(events).toHaveLength(4);
    expect(JSON.stringify(events[3])).toContain('Too busy.');
  });
});

describe('bytes', () => {
  test('are cut anywhere, and join to the same text', async () => {
    const emulator = await start();
    emulator.script('openai-chat', says('zwölf Boxkämpfer 🥊', { chunkBytes: 3, chunkDelay: 5, delay: 100 }));
    const response = await streamOf(emulator, 'openai-chat', hello['openai-chat']);
    const text = await response.text();
    expect(
      eventsOf(text)
        .map((event) => JSON.stringify(event))
        .join(''),
    ).toContain('🥊');
    expect(waits[0]).toBe(100);
    expect(waits.filter((milliseconds) => milliseconds === 5).length).toBe(Math.ceil(Buffer.byteLength(text) / 3) - 1);
  });

  test('are served raw', async () => {
    const emulator = await start();
    const body = '{"id": 1.0, "big":12345678901234567890}\n';
    emulator.script('openai-chat', [
      { raw: { status: 203, headers: { 'content-type': 'application/json', 'X-A': 'b' }, body } },
      {
        raw: {
          headers: { 'content-type': 'text/event-stream' },
          chunks: ['data: {"a"', ':1}\n\n', Buffer.from([0xff])],
        },
      },
    ]);
    const whole = await post(emulator, 'openai-chat', hello['openai-chat']);
    expect([whole.status, whole.headers.get('x-a'), await whole.text()]).toEqual([203, 'b', body]);
    const stream = await post(emulator, 'openai-chat', hello['openai-chat']);
    expect(Buffer.from(await stream.arrayBuffer()).toString('latin1')).toBe('data: {"a":1}\n\n\u00ff');
  });
});

/** What a client gets before the connection fails. */
async function readUntilBroken(response: Response): Promise<{ text: string; broken: boolean }> {
  const reader = response.body?.getReader();
  const chunks: Uint8Array[] = [];
  try {
    for (let step = await reader?.read(); step?.done === false; step = await reader?.read()) chunks.push(step.value);
    return { text: Buffer.concat(chunks).toString(), broken: false };
  } catch {
    return { text: Buffer.concat(chunks).toString(), broken: true };
  }
}

describe('a connection', () => {
  test('is cut after events, after bytes, and ends too early', async () => {
    const emulator = await start();
    emulator.script('anthropic-messages', [
      says(long, { break: { after: { events: 4 }, how: 'cut' } }),
      says(long, { break: { after: { bytes: 50 }, how: 'cut' } }),
      says(long, { break: { after: { events: 4 }, how: 'end' } }),
      says(long, { break: { after: { bytes: 50 }, how: 'cut' } }),
    ]);
    const stream = () => streamOf(emulator, 'anthropic-messages', hello['anthropic-messages']);
    const byEvents = await readUntilBroken(await stream());
    expect([eventsOf(byEvents.text).length, byEvents.broken]).toEqual([4, true]);
    const byBytes = await readUntilBroken(await stream());
    expect([byBytes.text.length, byBytes.broken]).toEqual([50, true]);
    const early = await readUntilBroken(await stream());
    expect([eventsOf(early.text).length, early.broken]).toEqual([4, false]);
    const whole = await readUntilBroken(await post(emulator, 'anthropic-messages', hello['anthropic-messages']));
    expect([whole.text.length, whole.broken]).toEqual([50, true]);
    expect(emulator.log.map(({ served }) => served?.ended)).toEqual(['cut', 'cut', 'end', 'cut']);
    expect(emulator.log[1]?.served?.body.length).toBe(50);
  });

  test('is reset before anything is answered', async () => {
    const emulator = await start();
    emulator.script('openai-chat', says(long, { break: { after: 'request', how: 'reset' } }));
    await expect(post(emulator, 'openai-chat', hello['openai-chat'])).rejects.toThrow('fetch failed');
  });

  test('hangs until the client leaves, or the emulator closes', async () => {
    const emulator = await start();
    emulator.script('openai-chat', [
      says(long, { break: { after: 'request', how: 'hang' } }),
      says(long, { break: { after: 'head', how: 'hang' } }),
    ]);
    const client = new AbortController();
    const hanging = post(emulator, 'openai-chat', hello['openai-chat'], { signal: client.signal });
    while (emulator.log.length === 0) await new Promise(setImmediate);
    client.abort();
    await expect(hanging).rejects.toThrow('abort');
    const head = await streamOf(emulator, 'openai-chat', hello['openai-chat']);
    expect(head.status).toBe(200);
    await emulator.close();
    expect(await readUntilBroken(head)).toEqual({ text: '', broken: true });
  });

  test('that the client leaves ends the answer', async () => {
    const emulator = await start({ sleep: async (_, signal) => void (await once(signal, 'abort')) });
    emulator.script('openai-chat', says(long, { chunkDelay: 1 }));
    const client = new AbortController();
    await streamOf(emulator, 'openai-chat', hello['openai-chat'], { signal: client.signal });
    client.abort();
    while (emulator.log[0]?.served === undefined) await new Promise(setImmediate);
    expect(emulator.log[0].served.ended).toBe('left');
    expect(emulator.log[0].served.body.toString().match(/^data: /gm)).toHaveLength(1);
  });
});
