import { user } from '@skein/core';
import { describe, expect, test } from 'vitest';
import { APIS } from './apis.ts';
import { elsewhere } from './elsewhere.ts';
import { ODD_IDS } from './scenarios.ts';
import { silentLosses } from './silent-losses.ts';
import { Talk, type Target } from './talk.ts';

/** What each API takes as the id of a call (`tool-id`, `tool-id-long`, `call-id-long`). */
const TAKEN = {
  'anthropic-messages': /^[a-zA-Z0-9_-]{1,64}$/,
  'bedrock-converse': /^[a-zA-Z0-9_.:-]{1,64}$/,
  'cohere-chat': /^.+$/,
  'google-generatecontent': /^[\x21-\x7e]+$/,
  'google-interactions': /^[\x21-\x7e]+$/,
  'openai-chat': /^.{1,40}$/,
  'openai-responses': /^.{1,64}$/,
};

describe.each(APIS.map((api) => ({ id: api.id, source: { api, provider: elsewhere(api) } satisfies Target })))(
  'odd ids of a provider that speaks $id',
  ({ source }) => {
    test.each(APIS.flatMap((api) => api.models.map((model) => ({ api, model }))))(
      'are sent to $model ($api.id) as ids it takes, the same for call and result',
      ({ api, model }) => {
        const talk = new Talk();
        ODD_IDS.play(talk, source);
        const sent = talk.write({ api, model });
        expect(sent.verdict, sent.body).toEqual({ refusal: undefined, warnings: [] });
        expect(silentLosses(talk.messages, sent, api.dialect)).toEqual([]);
        const { messages } = api.dialect.readRequest(sent.body);
        const calls = messages.flatMap(({ toolUses }) => toolUses.map(({ id }) => id));
        const results = messages.flatMap(({ toolResults }) => toolResults.map(({ toolCallId }) => toolCallId));
        expect(calls).toHaveLength(5);
        expect(results).toEqual(calls);
        for (const id of calls) expect(id).toMatch(TAKEN[api.id]);
        expect(new Set(calls).size).toBe(5);
      },
    );

    test('keep their calls when nobody answered: the stand-in names the call as its issuer does', () => {
      const talk = new Talk().say(user('Look it up'));
      // One that takes short ids only, and gave another one itself.
      const { provider } = source;
      const picky = {
        ...provider,
        policies: { ...provider.policies, toolIds: { pattern: '^[a-z0-9]{9}$', maxLength: 9 } },
      };
      talk.answer({ ...source, provider: picky }, { calls: [{ id: 'functions.lookup:0' }] });
      const { body } = talk.say(user('Never mind')).write({ ...source, provider: picky });
      const { messages } = source.api.dialect.readRequest(body);
      expect(messages.flatMap(({ toolUses }) => toolUses.map(({ id }) => id))).toEqual(['functions.lookup:0']);
      const answered = messages.flatMap(({ toolResults }) => toolResults.map(({ toolCallId }) => toolCallId));
      expect(answered).toEqual(['functions.lookup:0']);
    });

    test('come back to their issuer as they were', () => {
      const talk = new Talk();
      ODD_IDS.play(talk, source);
      const { body, losses } = talk.write(source);
      const ids = source.api.dialect.readRequest(body).messages.flatMap(({ toolUses }) => toolUses.map(({ id }) => id));
      expect(ids).toEqual(talk.messages[1]!.toolUses.map(({ id }) => id));
      // Where calls need a list of tools, one stands in for it.
      expect(losses.filter(({ message }) => message >= 0)).toEqual([]);
    });
  },
);
