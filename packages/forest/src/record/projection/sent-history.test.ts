import { dialect, type Message } from '@skein/core';
import { describe, expect, test } from 'vitest';
import { type AppendPoint, makeNodeRecords, ROOT_POINT } from '../../forest/index.ts';
import { ROOT } from '../../model/ids.ts';
import { readIssuedIds, systemKeys } from './evidence.ts';
import { OlderFacts } from './fact-map.ts';
import { addIndexNode, createRecordedIndex, type RecordedIndex } from './recorded-index.ts';
import { followHistory, followMessages, SentHistory, systemKeysAt } from './sent-history.ts';

const says = (role: string, content: string, more: object = {}) => ({ role, content, ...more });
const [SYSTEM, ASK, ANSWER, MORE] = [
  says('system', 'You mend bridges.'),
  says('user', 'What is wrong?'),
  says('assistant', 'A pier.'),
  says('user', 'How old is it?'),
];
/** The same words in other bytes. */
const OTHER = { refusal: null };

const ORIGIN = Object.freeze({ issuer: 'test' });
const chat = (...messages: readonly object[]): readonly Message[] =>
  dialect('openai-chat').readRequest(JSON.stringify({ model: 'm', messages }), ORIGIN).messages;

/** Adds recorded messages below a place, and returns the last of them. */
function grow(index: RecordedIndex, messages: readonly object[], from: AppendPoint = ROOT_POINT): AppendPoint {
  let place = from;
  for (const message of chat(...messages)) {
    const parent = place.id;
    const { node, next } = makeNodeRecords(place, message, 1);
    place = next;
    const isReply = message.role === 'assistant';
    const issued = isReply ? readIssuedIds(message) : [];
    addIndexNode(index, { place, parent, body: node.body, at: 1, isReply, issued, prover: undefined });
  }
  return place;
}

function begin(...messages: readonly object[]) {
  const index = createRecordedIndex();
  index.step();
  return { index, end: grow(index, messages) };
}

const historyOf = (index: RecordedIndex, ...messages: readonly object[]) =>
  new SentHistory(index, { system: undefined, messages: chat(...messages) });

describe('a history', () => {
  test('is known as far as its texts are', () => {
    const { index, end } = begin(SYSTEM!, ASK!);
    const history = historyOf(index, SYSTEM!, ASK!, ANSWER!);
    expect(history.exact).toBe(2);
    expect(history.exactPlace).toBe(end);
    expect(history.nodeAt(1)?.place).toBe(end);
    expect(history.nodeAt(2)).toBeUndefined();
    expect(history.lead).toBe(1);
    expect(history.leadId).toBe(index.nodes.get(end.id)!.parent);
    expect(historyOf(index, ASK!)).toMatchObject({ exact: 0, exactPlace: ROOT_POINT, lead: 0, leadId: ROOT });
  });

  test('behind one that the API keeps is not known by its texts', () => {
    const { index, end } = begin(SYSTEM!, ASK!);
    const history = new SentHistory(index, { system: undefined, messages: chat(SYSTEM!, ASK!) }, end.echo);
    expect(history.exact).toBe(0);
    expect(history.echo(-1)).toBe(end.echo);
  });

  test('has the messages that are not known from the requests before it', () => {
    const { index } = begin(ASK!);
    const first = historyOf(index, ASK!, ANSWER!, MORE!);
    const sent = chat(ASK!, ANSWER!, MORE!);
    const again = new SentHistory(index, { system: undefined, messages: sent });
    expect(again.messages[0]).toBe(sent[0]);
    expect(again.messages[1]).toBe(first.messages[1]);
    expect(again.messages[2]).toBe(first.messages[2]);
  });

  test('has replies where a model spoke, and none behind its end', () => {
    const history = historyOf(createRecordedIndex(), ASK!, ANSWER!, MORE!);
    expect([0, 1, 2, 3].map((at) => history.isReply(at))).toEqual([false, true, false, false]);
    expect(history.isReference(3)).toBe(false);
  });

  test('refers to replies by their ids only where its protocol can', () => {
    const responses = (...input: readonly unknown[]) =>
      dialect('openai-responses').readRequest(JSON.stringify({ model: 'm', input }), {}).messages;
    const items = [
      { type: 'item_reference', id: 'msg_1' },
      { type: 'gauge', id: 'x' },
      { id: 'msg_2' },
      7,
      { type: 'item_reference' },
    ];
    const references = items.map((item) => {
      const history = new SentHistory(createRecordedIndex(), { system: undefined, messages: responses(item) });
      return history.isReference(0);
    });
    expect(references).toEqual([true, false, true, false, false]);
    const critic = historyOf(createRecordedIndex(), says('critic', 'Hm.'));
    expect(critic.messages[0]!.role).toBe('other');
    expect([critic.isReference(0), critic.isReply(0)]).toEqual([false, false]);
  });
});

describe('a history whose nodes are in the store', () => {
  /** An index over rows of a store, and how many of them each reading asks for. */
  const stored = async (...messages: readonly object[]) => {
    const { index: full } = begin(...messages);
    const rows = full.fold([]);
    const texts = new Map<string, string>();
    for (const [key, text] of await new OlderFacts().merge(rows, async () => [])) texts.set(key, text!);
    const older = new OlderFacts();
    older.isEmpty = false;
    const reads: number[] = [];
    const index = createRecordedIndex(older, async (keys) => {
      reads.push(keys.length);
      return keys.map((key) => texts.get(key));
    });
    return { index, reads };
  };

  test('is read in one go, and known to its end', async () => {
    const { index, reads } = await stored(ASK!, ANSWER!, MORE!);
    const history = await index.read(() => historyOf(index, ASK!, ANSWER!, MORE!));
    expect(history.exact).toBe(3);
    expect(reads).toEqual([3]);
  });

  test('is not read behind a message that is known to be new', async () => {
    const { index, reads } = await stored(MORE!);
    await index.read(() => historyOf(index, ASK!));
    expect(reads).toEqual([1]);
    const history = await index.read(() => historyOf(index, ASK!, ANSWER!, MORE!));
    expect(history.exact).toBe(0);
    expect(reads).toEqual([1]);
  });
});

test('the keys of system texts are kept once their texts are known', () => {
  const index = createRecordedIndex();
  index.step();
  const lead = chat(SYSTEM!);
  expect(systemKeysAt(index, ROOT)).toEqual(systemKeys([]));
  expect(systemKeysAt(index, 'node')).toEqual({ dated: 'node', numbered: 'node' });
  expect(systemKeysAt(index, 'node', lead)).toEqual(systemKeys(['You mend bridges.']));
  expect(systemKeysAt(index, 'node')).toEqual(systemKeys(['You mend bridges.']));
});

describe('messages below a place', () => {
  test('lead to the node with their exact texts, of several with the same words', () => {
    const { index, end } = begin(ASK!, ANSWER!);
    const other = grow(index, [ASK!, { ...ANSWER!, ...OTHER }]);
    expect(followMessages(index, ROOT_POINT, chat(ASK!, ANSWER!))).toEqual({ place: end, matched: 2, by: 'exact' });
    const found = followMessages(index, ROOT_POINT, chat(ASK!, { ...ANSWER!, ...OTHER }));
    expect(found).toEqual({ place: other, matched: 2, by: 'exact' });
  });

  test('lead by their words behind their exact texts', () => {
    const { index, end } = begin(ASK!, ANSWER!);
    const sent = chat(ASK!, { ...ANSWER!, ...OTHER }, MORE!);
    expect(followMessages(index, ROOT_POINT, sent)).toEqual({ place: end, matched: 2, by: 'echo' });
    const changed = chat({ ...ASK!, ...OTHER });
    expect(followMessages(index, ROOT_POINT, changed)).toEqual({
      place: index.nodes.get(index.nodes.get(end.id)!.parent)!.place,
      ...{ matched: 1, by: 'echo' },
    });
    expect(followMessages(index, end, chat(MORE!))).toEqual({ place: end, matched: 0, by: 'exact' });
  });

  test('do not lead to the same words below another place', () => {
    const { index, end } = begin(ASK!, ANSWER!, MORE!);
    const other = grow(index, [{ ...ASK!, ...OTHER }]);
    expect(followMessages(index, other, chat(ANSWER!))).toEqual({ place: other, matched: 0, by: 'exact' });
    expect(end.depth).toBe(3);
  });

  test('that ask again what got an empty answer lead above it, and below it with that answer', () => {
    const { index, end: silent } = begin(ASK!, says('assistant', ''));
    const question = index.nodes.get(index.nodes.get(silent.id)!.parent)!.place;
    const again = { ...ASK!, ...OTHER };
    expect(followMessages(index, ROOT_POINT, chat(again)).place).toBe(question);
    expect(followMessages(index, ROOT_POINT, chat(again, { ...says('assistant', ''), ...OTHER })).place).toBe(silent);
    expect(followMessages(index, ROOT_POINT, chat(again, MORE!))).toEqual({ place: silent, matched: 1, by: 'echo' });
  });

  test('that ask again in the middle of a conversation lead no further up', () => {
    const { index, end: silent } = begin(ASK!, ANSWER!, MORE!, says('assistant', ''));
    const question = index.nodes.get(index.nodes.get(silent.id)!.parent)!.place;
    const found = followMessages(index, ROOT_POINT, chat(ASK!, ANSWER!, { ...MORE!, ...OTHER }));
    expect(found).toEqual({ place: question, matched: 3, by: 'echo' });
  });

  test('are counted with those that are known to the byte', () => {
    const { index, end } = begin(ASK!, ANSWER!);
    const history = historyOf(index, ASK!, { ...ANSWER!, ...OTHER }, MORE!);
    expect(followHistory(index, history)).toEqual({ place: end, matched: 2, by: 'echo' });
  });
});
