import { describe, expect, test } from 'vitest';
import { sha256 } from '../../model/ids.ts';
import type { NodeRecord, StoreRecord, TakeRecord } from '../../model/records.ts';
import type { Exchange } from '../exchange.ts';
import { PLACEMENT_RULES } from '../placement.ts';
import { readExchange } from '../read-exchange.ts';
import { type PlacementStep, placeExchange } from './place-exchange.ts';
import { createRecordedIndex, type RecordedIndex } from './recorded-index.ts';

const user = (content: string) => ({ role: 'user', content });
const assistant = (content: string) => ({ role: 'assistant', content });
const system = (content: string) => ({ role: 'system', content });
const TOOL = { type: 'function', function: { name: 'look', parameters: { type: 'object', properties: {} } } };

/** Takes one step with an exchange of which only these members are known. */
function step(index: RecordedIndex, more: Partial<Exchange>, request: object, response: unknown): PlacementStep {
  const text = JSON.stringify(request);
  const body = typeof response === 'string' ? response : JSON.stringify(response);
  index.step();
  const exchange = {
    ...{ id: 'x', start: 1000, kind: 'generate', dialect: 'openai-chat', issuer: 'test', outcome: 'done' },
    ...{ requestHeaders: {}, tags: [], requestSha256: sha256(text), ...more },
  } as unknown as Exchange;
  return placeExchange(index, readExchange(exchange, { request: text, response: body }));
}

const answer = (...texts: readonly string[]) => ({
  id: 'c',
  choices: texts.map((text, index) => ({ index, message: assistant(text), finish_reason: 'stop' })),
});
const chat = (index: RecordedIndex, more: Partial<Exchange>, messages: readonly object[], reply = answer('B')) =>
  step(index, more, { model: 'm', messages }, reply);

const takesOf = ({ records }: { readonly records: readonly StoreRecord[] }, node: string | undefined) =>
  records.filter((record): record is TakeRecord => record.k === 'take' && record.node === node);
const nodesOf = ({ records }: PlacementStep) => records.filter((record): record is NodeRecord => record.k === 'node');
const bodiesOf = ({ records }: PlacementStep) =>
  records.flatMap((record) => (record.k === 'body' ? [[record.digest, record.text] as const] : []));

describe('the take of a reply', () => {
  test('says everything that is known of the request and of the response', () => {
    const index = createRecordedIndex();
    const placed = step(
      index,
      {
        ...{ provider: 'p', firstByte: 1030, end: 1070, tags: ['red'] },
        responseHeaders: { 'content-type': 'text/plain', 'x-request-id': 'r1' },
      },
      { model: 'm', temperature: 1, messages: [system('S'), user('A')], tools: [TOOL] },
      { ...answer('B'), model: 'm-1', usage: { prompt_tokens: 5, completion_tokens: 7 } },
    );
    const { thread, node } = placed.placement;
    const [take, ...others] = takesOf(placed, node);
    expect(others).toEqual([]);
    expect(take).toMatchObject({
      ...{ via: 'record', author: 'model', at: 1070, exchange: 'x', thread, provider: 'p', model: 'm-1' },
      ...{ params: { temperature: 1 }, firstEventMs: 30, durationMs: 70, requestId: 'r1' },
      ...{ stop: { reason: 'end' }, usage: { input: 5, output: 7 } },
    });
    expect(take!.extra).toEqual({ tags: ['red'] });
    expect(take!.origin).not.toHaveProperty('prefix');
    const bodies = new Map(bodiesOf(placed));
    expect(JSON.parse(bodies.get(take!.envelope!)!)).toMatchObject({ id: 'c', model: 'm-1' });
    const { system: texts, tools, replacesLead } = take!.context!;
    expect(texts.map(({ body }) => bodies.get(body))).toEqual([JSON.stringify(system('S'))]);
    expect(bodies.get(tools!)).toContain('look');
    expect(replacesLead).toBeUndefined();
    expect(placed.placement).toMatchObject({ rules: PLACEMENT_RULES, state: 'landed' });
  });

  test('says nothing of what is not known', () => {
    const index = createRecordedIndex();
    const placed = chat(index, {}, [user('A')]);
    const [take] = takesOf(placed, placed.placement.node);
    for (const name of ['provider', 'params', 'firstEventMs', 'durationMs', 'requestId', 'usage', 'extra'])
      expect(take).not.toHaveProperty(name);
    expect(take).toMatchObject({ at: 1000, model: 'm', context: { system: [] } });
    expect(take!.context).not.toHaveProperty('tools');
    const { rules, ...placement } = placed.placement;
    expect(placement).toEqual({
      ...{ state: 'landed', thread: take!.thread, parent: placement.parent, node: take!.node },
      ...{
        added: [placement.parent],
        by: 'exact',
        found: 'new',
        matched: 0,
        way: 'starts',
        stop: { reason: 'end', native: 'stop' },
      },
    });
    expect(placed).not.toHaveProperty('checkpoint');
    expect(placed.records.map(({ k }) => k)).toEqual(['body', 'node', 'take', 'body', 'body', 'node', 'take']);
    expect(placed.behind).toEqual([]);
  });

  test.each([
    ['request-id', true],
    ['x-request-id', true],
    ['x-amzn-requestid', true],
    ['request-id-of', false],
    ['id', false],
  ])('has the id that the provider gave the request, under its name: %s', (name, is) => {
    const placed = chat(createRecordedIndex(), { responseHeaders: { [name]: 'r1' } }, [user('A')]);
    expect(takesOf(placed, placed.placement.node)[0]!.requestId).toBe(is ? 'r1' : undefined);
  });

  test('of a gateway names the provider that was asked', () => {
    const upstream = { provider: 'real', dialect: 'openai-chat', issuer: 'i', model: 'real-1', attempt: 1 };
    const placed = chat(createRecordedIndex(), { provider: 'p', upstream } as unknown as Partial<Exchange>, [
      user('A'),
    ]);
    expect(takesOf(placed, placed.placement.node)[0]).toMatchObject({ provider: 'real', model: 'real-1' });
  });

  test('of an alternative has no usage, and comes after the others', () => {
    const reply = { ...answer('B', 'C', 'D'), usage: { prompt_tokens: 5, completion_tokens: 7 } };
    const placed = chat(createRecordedIndex(), { end: 1010 }, [user('A')], reply);
    const { node, alternatives } = placed.placement;
    expect(alternatives).toHaveLength(2);
    const ids = [node!, ...alternatives!];
    expect(ids.map((id) => takesOf(placed, id).map(({ usage }) => usage?.output))).toEqual([
      [7],
      [undefined],
      [undefined],
    ]);
    const times = new Map(nodesOf(placed).map(({ id, at }) => [id, at]));
    expect(ids.map((id) => times.get(id))).toEqual([1010, 1010.001, 1010.002]);
  });

  test('under another system text says so, and its signed parts are bound to that', () => {
    const index = createRecordedIndex();
    const long = `${'x'.repeat(40)}${'y'.repeat(40)}`;
    const talk = [user('A'), assistant(`${long}1`), user('B'), assistant(`${long}2`), user('C')];
    chat(index, { id: 'x1', start: 1 }, [system('S'), ...talk.slice(0, 1)], answer(`${long}1`));
    chat(index, { id: 'x2', start: 2 }, [system('S'), ...talk.slice(0, 3)], answer(`${long}2`));
    const placed = chat(index, { id: 'x3', start: 3 }, [system('T'), ...talk], answer('D'));
    expect(placed.placement).toMatchObject({ otherSystem: true, found: 'words', way: 'continues', matched: 5 });
    const [take] = takesOf(placed, placed.placement.node);
    expect(take).toMatchObject({ extra: { otherSystem: true }, origin: { prefix: 'recorded:x3' } });
    expect(take!.extra).toEqual({ otherSystem: true });
    expect(take!.context).toMatchObject({
      system: [{ body: sha256(JSON.stringify(system('T'))) }],
      replacesLead: true,
    });
  });
});

describe('the messages of a client', () => {
  test('have a take of nobody in particular at the start of the request; those that it continues have none', () => {
    const index = createRecordedIndex();
    const first = chat(index, { id: 'x1', end: 1500 }, [user('A')]);
    const again = chat(index, { id: 'x2', start: 2000, thread: 'mine' }, [user('A')], answer('C'));
    const { thread, parent } = first.placement;
    const facts = { via: 'record', author: 'unknown', at: 1000, thread, exchange: 'x1' };
    expect(takesOf(first, parent)).toMatchObject([facts]);
    expect(nodesOf(first)).toHaveLength(2);
    expect(nodesOf(again)).toHaveLength(1);
    expect(again.placement).toMatchObject({ matched: 1, added: [], parent });
    expect(takesOf(again, parent)).toEqual([]);
  });

  test('that are known below a place get another take, not another node', () => {
    const index = createRecordedIndex();
    chat(index, { id: 'x1' }, [user('A')]);
    const other = chat(index, { id: 'x2', start: 2000 }, [user('A')]);
    expect(other.placement).toMatchObject({ found: 'new', matched: 0, added: [other.placement.parent] });
    expect(nodesOf(other)).toEqual([]);
    expect(takesOf(other, other.placement.parent)).toMatchObject([{ author: 'unknown', at: 2000, exchange: 'x2' }]);
    expect(takesOf(other, other.placement.node)).toMatchObject([{ author: 'model', exchange: 'x2' }]);
  });
});

describe('an exchange without a reply', () => {
  test.each([
    ['no model was asked', { kind: 'other' }, 'x'],
    ['the API answered 500', { outcome: 'refused', status: 500 }, 'x'],
    ['it is down', { error: 'it is down' }, ''],
  ])('has no place: %s', (why, more, response) => {
    const placed = step(createRecordedIndex(), more as Partial<Exchange>, {}, response);
    expect(placed).toMatchObject({ exchange: 'x', records: [], behind: [] });
    expect(placed.placement).toEqual({ rules: PLACEMENT_RULES, state: 'nothing', why });
  });

  test('that was cut before its first word ends with the question', () => {
    const index = createRecordedIndex();
    const cut = `data: ${JSON.stringify({ id: 'c', choices: [{ index: 0, delta: { role: 'assistant' } }] })}\n\n`;
    const placed = step(index, { outcome: 'cut' }, { model: 'm', messages: [user('A')] }, cut);
    expect(placed.placement).toMatchObject({ state: 'landed', stop: { reason: 'cut' } });
    expect(placed.placement).not.toHaveProperty('node');
    expect(index.threads.get(placed.placement.thread!)!.head).toBe(placed.placement.parent);
    expect(bodiesOf(placed).map(([, text]) => text)).toEqual([JSON.stringify(user('A'))]);
  });
});

describe('a background response', () => {
  const response = (status: string, text?: string, id = 'resp_1') => ({
    ...{ id, object: 'response', status, model: 'm' },
    output: text ? [{ type: 'message', role: 'assistant', content: [{ type: 'output_text', text }] }] : [],
  });
  const ask = (index: RecordedIndex, more: Partial<Exchange> = {}, body: unknown = response('queued')) =>
    step(
      index,
      { dialect: 'openai-responses', ...more },
      { model: 'm', instructions: 'S', input: 'Q', background: true },
      body,
    );
  const poll = (index: RecordedIndex, id: string, body: unknown, more: Partial<Exchange> = {}) =>
    step(
      index,
      { id, dialect: 'openai-responses', kind: 'poll', responseId: 'resp_1', start: 5000, ...more },
      {},
      body,
    );

  test('has its reply with the poll that brings it, once', () => {
    const index = createRecordedIndex();
    const asked = ask(index, { tags: ['red'], end: 1001 });
    const { thread, parent } = asked.placement;
    expect(asked.placement).not.toHaveProperty('node');
    expect(index.threads.get(thread!)).toMatchObject({ head: parent, touched: 1001 });
    const early = poll(index, 'p1', response('in_progress'));
    expect(early).toMatchObject({ records: [], behind: [], placement: { state: 'landed', thread, parent } });
    expect(early.placement).not.toHaveProperty('node');
    const placed = poll(index, 'p2', response('completed', 'A'), { end: 6000 });
    const { node } = placed.placement;
    expect(placed.placement).toMatchObject({ state: 'landed', thread, parent, node, way: 'continues' });
    expect(takesOf(placed, node)).toMatchObject([
      { at: 6000, exchange: 'x', thread, durationMs: 5000, context: { system: [{}] } },
    ]);
    expect(takesOf(placed, node)[0]!.extra).toEqual({ tags: ['red'], broughtBy: 'p2' });
    expect(index.threads.get(thread!)).toMatchObject({ head: node, touched: 6000 });
    const again = poll(index, 'p3', response('completed', 'A'));
    expect(again).toMatchObject({ records: [], behind: [], placement: { state: 'landed', thread, parent, node } });
    expect(again.placement).not.toHaveProperty('way');
    expect(poll(index, 'p4', response('in_progress')).placement).toMatchObject({ node });
  });

  test('that a poll brings in part is replaced by the whole', () => {
    const index = createRecordedIndex();
    ask(index);
    const cut = `data: ${JSON.stringify({ type: 'response.created', response: response('in_progress') })}\n\ndata: ${JSON.stringify({ type: 'response.output_text.delta', item_id: 'i', output_index: 0, content_index: 0, delta: 'Ha' })}\n\n`;
    const part = poll(index, 'p1', cut, { outcome: 'cut' });
    expect(part.placement).toMatchObject({ stop: { reason: 'cut' }, way: 'continues' });
    const whole = poll(index, 'p2', response('completed', 'Half'));
    expect(whole.placement).toMatchObject({ way: 'continues', parent: part.placement.parent });
    expect(whole.placement.node).not.toBe(part.placement.node);
    expect(poll(index, 'p3', response('completed', 'Half')).placement.node).toBe(whole.placement.node);
  });

  test('that was whole at once gets nothing from a poll', () => {
    const index = createRecordedIndex();
    const { node, parent, thread } = ask(index, {}, response('completed', 'A')).placement;
    const again = poll(index, 'p1', response('completed', 'Other'));
    expect(again).toMatchObject({ records: [], placement: { state: 'landed', thread, parent, node } });
  });

  test('whose request is not known makes its polls wait, and they are placed behind that', () => {
    const index = createRecordedIndex();
    const waiting = poll(index, 'p1', response('completed', 'A'));
    expect(waiting).toMatchObject({ records: [], behind: [], placement: { state: 'waiting', why: 'resp_1' } });
    expect(ask(index).behind).toEqual(['p1']);
  });

  test('makes those that continue it wait until it is whole', () => {
    const index = createRecordedIndex();
    const next = { model: 'm', input: 'R', previous_response_id: 'resp_1' };
    const more = { id: 'y', start: 900, dialect: 'openai-responses' };
    const early = step(index, more, next, response('completed', 'B', 'resp_2'));
    expect(early.placement).toMatchObject({ unrecorded: 'resp_1', way: 'starts' });
    expect(ask(index).behind).toEqual([]);
    expect(poll(index, 'p1', response('completed', 'A')).behind).toEqual(['y']);
    const whole = createRecordedIndex();
    step(whole, more, next, response('completed', 'B', 'resp_2'));
    expect(ask(whole, {}, response('completed', 'A')).behind).toEqual(['y']);
  });
});

describe('system texts of responses that continue another one', () => {
  const said = (role: string, text: string) => ({
    ...{ type: 'message', role, content: [{ type: role === 'assistant' ? 'output_text' : 'input_text', text }] },
  });
  const ask = (index: RecordedIndex, start: number, request: object, text: string) =>
    step(
      index,
      { id: `x${start}`, start, end: start + 1, dialect: 'openai-responses' },
      { model: 'm', ...request },
      { id: `resp_${start}`, object: 'response', status: 'completed', model: 'm', output: [said('assistant', text)] },
    ).placement;
  const input = [said('user', 'Q1'), said('assistant', 'A1'), said('user', 'Q2'), said('assistant', 'A2')];
  /** The second one has other instructions than the first. */
  const begin = (before: readonly object[] = []) => {
    const index = createRecordedIndex();
    const first = ask(index, 10_000, { instructions: 'S', input: [...before, said('user', 'Q1')] }, 'A1');
    const more = { input: [said('user', 'Q2')], previous_response_id: 'resp_10000' };
    const other = ask(index, 20_000, { instructions: 'T', ...more }, 'A2');
    expect(other).toMatchObject({ thread: first.thread, way: 'continues', otherSystem: true });
    return { index, first };
  };

  test('are those of the request if all are in it: equal words under them continue it', () => {
    const { index, first } = begin();
    const again = ask(index, 40_000, { instructions: 'T', input: [...input, said('user', 'Q3')] }, 'A3');
    expect(again).toMatchObject({ thread: first.thread, way: 'continues', found: 'words' });
  });

  test.each([
    ['without any', [], {}],
    ['without any, if the API keeps another one', [said('developer', 'D')], {}],
    ['under one of two', [said('developer', 'D')], { instructions: 'T' }],
  ])('are not forgotten: equal words %s do not continue it', (_how, before, request) => {
    const { index } = begin(before);
    const again = ask(index, 30_000, { ...request, input: [...input, said('user', 'Q3')] }, 'A3');
    expect(again).toMatchObject({ way: 'starts', found: 'new' });
  });

  test('are known without what follows them, if the other one was not recorded', () => {
    const index = createRecordedIndex();
    const on = (day: string) => said('developer', `Today is 2026-11-${day}.`);
    ask(index, 1000, { previous_response_id: 'resp_lost', input: [on('18'), said('user', 'Q')] }, 'A');
    const first = ask(index, 20_000, { input: [on('18'), said('user', 'Q1')] }, 'A1');
    const next = ask(index, 40_000, { input: [on('19'), ...input.slice(0, 3)] }, 'A2');
    expect(next).toMatchObject({ thread: first.thread, way: 'continues', found: 'words' });
  });
});
