import { expect, test } from 'vitest';
import { createForest } from '../forest/index.ts';
import { memoryStore } from '../store/index.ts';
import { createBacklog } from './backlog.ts';
import { readTexts } from './exchange.ts';
import { listExchanges } from './list-exchanges.ts';
import { RecentTexts } from './recent-texts.ts';
import { createRecorder } from './recorder.ts';

const URL = 'https://api.openai.com/v1/chat/completions';
const KEY = 'sk-secret-0123456789';

/** Records one exchange and returns how often its parts were read to place it, and its place. */
async function recordOne(answer: Uint8Array, { cutAt = answer.length, fails = false } = {}) {
  const inner = memoryStore();
  let reads = 0;
  let failures = fails ? 1 : 0;
  const entries: typeof inner.entries = (kind, query) => {
    if (query?.of !== 'exchanges') reads += 1;
    return inner.entries(kind, query);
  };
  const append: typeof inner.append = async (records) => {
    if (failures-- > 0) throw new Error('the disk is full');
    return inner.append(records);
  };
  const forest = createForest({ ...inner, entries, append });
  // Nothing that the store refuses has room in memory.
  const backlog = createBacklog(forest, { memory: 0 });
  const recorder = createRecorder(forest, { backlog });
  const body = JSON.stringify({ model: 'gpt-5', messages: [{ role: 'user', content: `Hello — ${KEY}` }] });
  const headers = [['authorization', `Bearer ${KEY}`]] as const;
  const recording = recorder.begin({ method: 'POST', url: URL, headers, body: Buffer.from(body) });
  recording.head(200, [['content-type', 'application/json']]);
  recording.push(answer.subarray(0, cutAt));
  if (fails) await recorder.stored();
  await new Promise((resolve) => setTimeout(resolve, fails ? 600 : 0));
  await backlog.flush();
  recording.push(answer.subarray(cutAt));
  recording.end('done');
  await recorder.settled();
  const readsToPlace = reads;
  const [exchange] = (await listExchanges(forest)).items;
  return { reads: readsToPlace, texts: await readTexts(inner, exchange!), landing: exchange!.landing };
}

const reply = (content: string) =>
  Buffer.from(JSON.stringify({ id: 'x', model: 'gpt-5', choices: [{ message: { role: 'assistant', content } }] }));

test('an exchange that was just stored is placed without reading it again', async () => {
  const { reads, texts, landing } = await recordOne(reply(`Good day 😀 ${KEY}`), { cutAt: 80 });
  expect(reads).toBe(0);
  expect(landing?.state).toBe('landed');
  expect(texts.request).not.toContain(KEY);
  expect(texts.response).not.toContain(KEY);
});

test('an exchange whose bytes are no text is read from the store', async () => {
  const { reads, landing } = await recordOne(Buffer.concat([reply('Good day'), Buffer.from([0xff])]));
  expect(reads).toBeGreaterThan(0);
  expect(landing).toBeDefined();
});

test('texts that the store does not have are not placed: the tree depends on what is stored alone', async () => {
  const { reads, texts } = await recordOne(reply('Good day'), { cutAt: 30, fails: true });
  expect(reads).toBeGreaterThan(0);
  expect(texts.response).not.toContain('gpt-5');
});

/** Records one exchange of a gateway, which tries twice, and returns how often its parts were read to place it. */
async function recordTranslated({ fails = false } = {}) {
  const inner = memoryStore();
  let reads = 0;
  const entries: typeof inner.entries = (kind, query) => {
    if (query?.of !== 'exchanges') reads += 1;
    return inner.entries(kind, query);
  };
  let failures = fails ? 1 : 0;
  const append: typeof inner.append = async (records) => {
    if (failures-- > 0) throw new Error('the disk is full');
    return inner.append(records);
  };
  const forest = createForest({ ...inner, entries, append });
  const backlog = createBacklog(forest, { memory: 0 });
  const recorder = createRecorder(forest, { backlog });
  const body = JSON.stringify({
    model: 'openai-chat/gpt-5',
    max_tokens: 9,
    messages: [{ role: 'user', content: 'Hi' }],
  });
  const url = 'http://localhost/v1/messages';
  const recording = recorder.begin({ method: 'POST', url, headers: [], provider: 'anthropic', body });
  const sent = {
    provider: 'openai-chat',
    dialect: 'openai-chat',
    issuer: 'api.openai.com',
    model: 'gpt-5',
    losses: [],
  };
  for (const content of ['Never said', 'Good day']) {
    recording.upstream({ ...sent, url: URL, body: '{}' });
    recording.upstreamHead(200, []);
    recording.upstreamPush(reply(content));
  }
  recording.head(200, [['content-type', 'application/json']], 'msg_1');
  recording.push('{"id":"msg_1","type":"message","role":"assistant","content":[{"type":"text","text":"Good day"}]}');
  await recording.keepReply([], []).catch(() => backlog.flush());
  await recorder.settled();
  const readsToPlace = reads;
  const [exchange] = (await listExchanges(forest)).items;
  return { reads: readsToPlace, texts: await readTexts(inner, exchange!), exchange: exchange!, forest };
}

test('a gateway exchange is placed by what the provider sent at last, without reading it again', async () => {
  const { reads, texts, exchange, forest } = await recordTranslated();
  expect(reads).toBe(0);
  expect(exchange.landing?.state).toBe('landed');
  expect(exchange.responseId).toBe('msg_1');
  expect(texts.upstream?.response).toContain('Good day');
  expect(texts.response).toContain('msg_1');
  const messages = (await forest.path(exchange.landing!.node!)).map(({ message }) => message.text);
  expect(messages).toEqual(['Hi', 'Good day']);
});

test('a gateway exchange that the store refused is placed by what the store has', async () => {
  const { reads, exchange } = await recordTranslated({ fails: true });
  expect(reads).toBeGreaterThan(0);
  expect(exchange.truncated).toBe(true);
});

test('the texts that wait for their place have a limit, and the oldest are dropped first', () => {
  const recent = new RecentTexts();
  const keep = (id: string, length: number) => {
    const texts = recent.collect(id);
    texts.request({ text: 'q' });
    texts.response({ text: 'a'.repeat(length) });
    texts.done();
  };
  for (const id of ['a', 'b', 'c', 'd', 'e']) keep(id, 2 ** 21 - 1);
  keep('long', 2 ** 21);
  expect(['a', 'b', 'c', 'd', 'e', 'long'].filter((id) => recent.take(id))).toEqual(['b', 'c', 'd', 'e']);
  expect(recent.take('e')).toBeUndefined();
});
