import { costOf } from '@skein/core/prices';
import { beforeAll, expect, test } from 'vitest';
import type { CacheDiagnosis } from './diagnosis.ts';
import { cacheRules, causePlace, createCacheTotals, diagnoseCaching, simulateCaching } from './index.ts';
import { type Ask, recordTraffic, type Traffic } from './test-traffic.ts';

const DAY = Date.parse('2026-10-05T08:00:00Z');
const LONG = 'You answer questions about yarn. '.repeat(200);
const TOOL = { name: 'search', description: 'Finds pages.', input_schema: { type: 'object', properties: {} } };
const OTHER = { name: 'open', description: 'Opens a page.', input_schema: { type: 'object', properties: {} } };
const SECOND = 1000;

/** A conversation of `turns` questions, a minute apart, with markers as agents set them; `change` plants the fault. */
function conversation(app: string, change: (turn: number) => Partial<Ask> = () => ({}), turns = 4): Ask[] {
  return Array.from({ length: turns }, (_, turn) => {
    const texts = Array.from({ length: 2 * turn + 1 }, (_, at) =>
      at % 2 === 0 ? `question ${at / 2} of ${app} ${'word '.repeat(60)}` : `answer ${at} of ${app}`,
    );
    const common = { app, at: DAY + turn * 60 * SECOND, tools: [TOOL, OTHER], system: `${app}. ${LONG}`, turns: texts };
    return { ...common, marks: [-1, texts.length - 1], ...change(turn) };
  });
}

/** Programs, most with one fault from the third question on, the cause it has, and the place. */
const FAULTS: Readonly<Record<string, { readonly asks: Ask[]; readonly cause: string; readonly place?: string }>> = {
  sound: { asks: conversation('sound'), cause: 'hit' },
  anaddress: {
    asks: conversation('anaddress', (turn) => ({
      tools: [TOOL, { ...OTHER, description: `Opens http://127.0.0.1:${4000 + turn}/a.` }],
    })),
    cause: 'volatile',
    place: 'tools[1].description',
  },
  shuffled: {
    asks: conversation('shuffled', (turn) => (turn < 2 ? {} : { tools: [OTHER, TOOL] })),
    cause: 'reordered',
    place: 'tools[0]',
  },
  timestamp: {
    asks: conversation('timestamp', (turn) => ({ system: `It is 2026-10-05T08:0${turn}:00Z. ${LONG}` })),
    cause: 'volatile',
    place: 'system[0].text',
  },
  request: {
    asks: conversation('request', (turn) => ({
      system: `${LONG} Request 3f2a77c0-1d2e-4b5a-9c1f-00000000000${turn}.`,
    })),
    cause: 'volatile',
    place: 'system[0].text',
  },
  folder: {
    asks: conversation('folder', (turn) => ({ system: `${LONG} Work in /tmp/run-${turn}/files.` })),
    cause: 'volatile',
    place: 'system[0].text',
  },
  rewritten: {
    asks: conversation('rewritten', (turn) => (turn < 2 ? {} : { system: `Be brief and kind. ${LONG}` })),
    cause: 'changed',
    place: 'system[0].text',
  },
  grown: {
    asks: conversation('grown', (turn) => (turn < 2 ? {} : { tools: [TOOL, OTHER, { ...TOOL, name: 'more' }] })),
    cause: 'changed',
    place: 'tools[2]',
  },
  retired: {
    asks: conversation('retired', (turn) => (turn < 2 ? {} : { tools: [TOOL] })),
    cause: 'changed',
    place: 'tools[1]',
  },
  retold: {
    asks: conversation('retold', (turn) =>
      turn < 2 ? {} : { tools: [TOOL, { ...OTHER, description: 'Opens a page, and reads it aloud.' }] },
    ),
    cause: 'changed',
    place: 'tools[1].description',
  },
  edited: {
    asks: conversation('edited').map((ask, turn) =>
      turn < 2 ? ask : { ...ask, turns: ask.turns.map((text, at) => (at === 1 ? `other ${text}` : text)) },
    ),
    cause: 'changed',
    place: 'messages[1].content[0].text',
  },
  respelled: {
    asks: conversation('respelled', (turn) =>
      turn < 2
        ? {}
        : { tools: [{ description: TOOL.description, name: TOOL.name, input_schema: TOOL.input_schema }, OTHER] },
    ),
    cause: 'respelled',
    place: 'tools[0]',
  },
  lunch: {
    asks: conversation('lunch', (turn) => ({ at: DAY + (turn < 2 ? turn : turn + 20) * 60 * SECOND })),
    cause: 'expired',
  },
  hourly: { asks: conversation('hourly', (turn) => ({ ttl: '1h', at: DAY + turn * 30 * 60 * SECOND })), cause: 'hit' },
  small: { asks: conversation('small', () => ({ system: 'Be brief.' })), cause: 'too-short' },
  unmarked: { asks: conversation('unmarked', () => ({ marks: [] })), cause: 'no-marker' },
  dropped: { asks: conversation('dropped', (turn) => (turn < 2 ? {} : { marks: [] })), cause: 'no-marker' },
  moved: { asks: conversation('moved', (turn) => (turn < 2 ? {} : { marks: [-1] })), cause: 'moved-marker' },
  jump: {
    asks: conversation('jump').map((ask, turn) =>
      turn < 2
        ? { ...ask, marks: [ask.turns.length - 1] }
        : { ...ask, turns: [...ask.turns.slice(0, -1), `${'part ¶'.repeat(30)}end`], marks: [ask.turns.length - 1] },
    ),
    cause: 'far-marker',
  },
  switched: {
    asks: conversation('switched', (turn) => (turn < 2 ? {} : { model: 'claude-sonnet-4-6' })),
    cause: 'model',
    place: 'anthropic/claude-sonnet-4-5',
  },
  forced: {
    asks: conversation('forced', (turn) => (turn < 2 ? {} : { settings: { tool_choice: { type: 'any' } } })),
    cause: 'setting',
    place: 'tool_choice',
  },
  beta: {
    asks: conversation('beta', (turn) => (turn < 2 ? {} : { headers: { 'anthropic-beta': 'effort-2025-11-24' } })),
    cause: 'header',
    place: 'anthropic-beta',
  },
  uncached: {
    asks: conversation('uncached', () => ({ provider: 'cohere', model: 'command-a-03-2025' })),
    cause: 'not-cached',
  },
  hasty: {
    asks: conversation('hasty', (turn) => (turn === 1 ? { delay: 90 * SECOND } : {})),
    cause: 'too-soon',
  },
};

let traffic: Traffic;
const found = new Map<string, CacheDiagnosis[]>();

beforeAll(async () => {
  traffic = await recordTraffic(Object.values(FAULTS).flatMap(({ asks }) => asks));
  for await (const one of diagnoseCaching(traffic.forest, { costOf }))
    found.set(one.app, [...(found.get(one.app) ?? []), one]);
});

test.each(Object.entries(FAULTS))(
  'a day of traffic: the fault of "%s" is found, named, and priced to the token',
  (app, { cause, place }) => {
    const third = found.get(app)![2]!;
    const [, second, served] = traffic.served.get(app)!;
    expect({ cause: third.cause, place: causePlace(third) }).toEqual({ cause, place: place ?? '' });
    const isMiss = !['hit', 'too-short', 'not-cached'].includes(cause) && second!.held > 0;
    const missed = isMiss ? Math.min(second!.held, served!.prompt) - served!.read : 0;
    expect(third.tokens).toMatchObject({
      prompt: served!.prompt,
      read: served!.read,
      written: served!.written,
      missed,
      isEstimate: false,
    });
    // claude-sonnet-4-5 and 4-6 cost $3 a million tokens, 1.25 times that to write and a tenth to read; Cohere's model $2.50.
    const [input, output] = app === 'uncached' ? [2.5, 10] : [3, 15];
    const plain = served!.prompt - served!.read - served!.written;
    const paid = plain * input + served!.written * 3.75 + served!.read * 0.3 + 10 * output;
    if (app !== 'hourly') expect(third.cost!.paid).toBeCloseTo(paid / 1e6, 9);
    const fromWritten = Math.min(missed, served!.written);
    expect(third.cost!.missed).toBeCloseTo((fromWritten * 3.45 + (missed - fromWritten) * 2.7) / 1e6, 9);
  },
);

test('a new conversation with another system text is compared by the part that it could share', async () => {
  const start = (at: number, system: string, word: string): Ask => ({
    app: 'fresh',
    at: DAY + at * SECOND,
    system,
    turns: [word],
    marks: [-1],
  });
  const { forest, served } = await recordTraffic([
    start(0, `${LONG} Version 1.`, 'one'),
    start(10, `${LONG} Version 1.`, 'two'),
    start(20, `${LONG} Version 2.`, 'three'),
  ]);
  const all: CacheDiagnosis[] = [];
  for await (const one of diagnoseCaching(forest)) all.push(one);
  expect(all.map(({ cause }) => cause)).toEqual(['first', 'hit', 'volatile']);
  expect(all[2]!.tokens).toMatchObject({ missed: served.get('fresh')![1]!.read, isEstimate: false });
  expect(all[2]!.cost).toBeUndefined();
});

test('a cache that the provider lost in time is the fault of the provider, priced to the token', async () => {
  const { forest, served } = await recordTraffic(
    conversation('evicted', (turn) => (turn === 2 ? { forgets: true } : {})),
  );
  const all: CacheDiagnosis[] = [];
  for await (const one of diagnoseCaching(forest, { costOf })) all.push(one);
  expect(all.map(({ cause }) => cause)).toEqual(['first', 'hit', 'provider', 'hit']);
  const [, second, third] = served.get('evicted')!;
  expect(third!.read).toBe(0);
  expect(all[2]!.tokens).toMatchObject({ missed: second!.held, isEstimate: false });
  expect(all[2]!.cost!.missed).toBeCloseTo((second!.held * 3.45) / 1e6, 9);
});

test('totals add up by cause, app and tag, and the dearest causes come first', () => {
  const totals = createCacheTotals();
  for (const one of [...found.values()].flat()) totals.add(one);
  const { all, byCause, byApp, byTag, byDay, worst, hitRate } = totals.totals();
  expect(all.requests).toBe(4 * Object.keys(FAULTS).length);
  const sum = (map: ReadonlyMap<string, { readonly missed: number }>) =>
    [...map.values()].reduce((more, { missed }) => more + missed, 0);
  for (const map of [byCause, byApp, byTag, byDay]) expect(sum(map)).toBe(all.missed);
  expect(hitRate).toBeCloseTo(all.read / (all.read + all.missed), 12);
  expect(worst.map(({ total }) => total.missedCost!)).toEqual(
    [...worst.map(({ total }) => total.missedCost!)].sort((a, b) => b - a),
  );
  expect(worst.map(({ app }) => app)).toContain('anaddress');
});

test('totals of traffic in which every request has a tag of its own stay small, and nothing is left out', () => {
  const [one] = found.get('sound')!;
  const totals = createCacheTotals();
  for (let at = 0; at < 6000; at++) totals.add({ ...one!, tags: [`run-${at}`] });
  const { byTag } = totals.totals();
  expect(byTag.size).toBe(5001);
  expect(byTag.get('(others)')!.requests).toBe(1000);
});

test('the simulator gives what was reported for the recorded layout, and shows what markers and order would save', async () => {
  const apps = ['shuffled', 'unmarked'];
  const { forest, served } = await recordTraffic(apps.flatMap((app) => FAULTS[app]!.asks));
  const results = await simulateCaching(
    forest,
    [
      { name: 'recorded' },
      { name: 'sorted', tools: 'sorted' },
      { name: 'marked', markers: 'conversation' },
      { name: 'short', lifetime: SECOND },
    ],
    { costOf },
  );
  const [recorded, sorted, marked, short] = results;
  const reported = apps.flatMap((app) => served.get(app)!).reduce((sum, { read }) => sum + read, 0);
  // Tokens are spread by length, so a part may round differently from what was reported.
  expect(Math.abs(recorded!.read - reported) / reported).toBeLessThan(0.05);
  expect(sorted!.read).toBeGreaterThan(recorded!.read);
  expect(sorted!.cost!).toBeLessThan(recorded!.cost!);
  expect(marked!.cost!).toBeLessThan(recorded!.cost!);
  expect(short!.read).toBe(0);
});

test('every rule names its evidence, and minimums fit the models', () => {
  expect(cacheRules('anthropic', 'claude-opus-4-5').minimum).toBe(4096);
  expect(cacheRules('bedrock', 'anthropic.claude-sonnet-4-5').minimum).toBe(1024);
  expect(cacheRules('openai', 'gpt-5').increment).toBe(128);
  expect(cacheRules('ollama', 'llama3').kind).toBe('none');
});
