import { joinManifest, writeRequest } from '@skein/core';
import { describe, expect, test } from 'vitest';
import { APIS, type Api, judgeFor, newest } from './apis.ts';
import { NATIVE_REQUESTS } from './native-requests.ts';
import { silentLosses } from './silent-losses.ts';

const accepted = { refusal: undefined, warnings: [] };
const inner = (raw: string): string => (raw.startsWith('[') ? raw.slice(1, -1) : raw);

/** The refusal of the chat sample stands alone, which is inferred to be taken. */
const UNSURE: Partial<Record<Api['id'], string>> = { 'openai-chat': 'openai-chat.content-null' };

const judged = (api: Api, body: string, model: string) => {
  const { refusal, warnings } = judgeFor(api, model, body);
  return { refusal, warnings };
};

describe.each(APIS.map((api) => ({ id: api.id, api })))("a client's request to $id", ({ api: source }) => {
  const body = NATIVE_REQUESTS[source.id];
  const { messages, system, tools, model = newest(source) } = source.dialect.readRequest(body);
  const given = { messages, tools, ...(system && { system: [system] }) };

  test('is one that the API takes', () => {
    const { refusal, warnings } = judged(source, body, model);
    expect(refusal).toBeUndefined();
    expect(warnings.filter((warning) => warning !== UNSURE[source.id])).toEqual([]);
  });

  test('goes back there with every message as it was', () => {
    const sent = writeRequest(source.dialect, { ...given, model });
    for (const { raw } of messages) expect(sent.body).toContain(inner(raw));
    expect(sent.losses).toEqual([]);
    expect(judged(source, sent.body, model).refusal).toBeUndefined();
  });

  const others = APIS.filter((api) => api !== source).flatMap((api) => api.models.map((model) => ({ api, model })));
  test.each(others)('goes to $model ($api.id), and what it leaves behind is named', ({ api, model }) => {
    const sent = writeRequest(api.dialect, { ...given, model });
    expect(judged(api, sent.body, model), sent.body).toEqual(accepted);
    expect(silentLosses(messages, sent, api.dialect)).toEqual([]);
    expect(joinManifest(sent.manifest, (index) => messages[index]!.raw)).toBe(sent.body);
    const text = api.dialect
      .readRequest(sent.body)
      .messages.flatMap((message) => [message.text, ...message.toolResults.map((result) => JSON.stringify(result))])
      .join('\n');
    for (const words of ['What is this?', 'A cat, it seems.', 'first result', 'second result', 'Thanks'])
      expect(text).toContain(words);
  });
});
