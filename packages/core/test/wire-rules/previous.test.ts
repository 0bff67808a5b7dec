import { diffPrefix, toolResult, user } from '@skein/core';
import { describe, expect, test } from 'vitest';
import { APIS, anthropic, google } from '../matrix/apis.ts';
import { Talk } from '../matrix/talk.ts';

const accepted = { refusal: undefined, warnings: [] };

describe.each(APIS.map((api) => ({ id: api.id, api, from: api === anthropic ? google : anthropic })))(
  'what was sent to $id is sent again as it was',
  ({ api, from }) => {
    const target = { api };
    /** Where roles alternate, what is added to an unanswered message changes it. */
    const expectExtended = (before: string, after: string) => {
      if (!api.dialect.home.policies.alternateRoles) expect(diffPrefix(before, after)).toBeUndefined();
    };

    test('a stand-in result stays, and the real one comes as a new message', () => {
      const talk = new Talk().say(user('Look it up'));
      const reply = talk.answer({ api: from }, { text: 'Looking', calls: [{}, {}] });
      talk.say(toolResult(reply.toolUses[0]!.id, 'the first result'), user('Never mind'));
      const first = talk.write(target);
      talk.say(toolResult(reply.toolUses[1]!.id, 'the late result'));

      const next = talk.write(target, { previous: first.manifest });
      expect(next.verdict, next.body).toEqual(accepted);
      expectExtended(first.body, next.body);
      expect(next.body).toContain('the late result');
      if (!api.dialect.home.policies.alternateRoles)
        expect(next.losses.map(({ reason }) => reason)).toContain('late-result');
      // Without it the real result takes its place, which parts the two requests.
      expect(diffPrefix(first.body, talk.write(target).body)).toBeDefined();
    });

    test('what was translated before an account of the target existed is not translated anew', () => {
      const talk = new Talk().say(user('Hello'));
      talk.answer({ api: from }, { thought: 'hm', text: 'Hi', calls: [{ id: 'functions.lookup:0' }] });
      const first = talk.write(target);
      talk.say(user('Go on'));
      const next = talk.write(target, { previous: first.manifest });
      expect(next.verdict, next.body).toEqual(accepted);
      expectExtended(first.body, next.body);
    });

    test('"Continue." stays behind the message it continued', () => {
      const talk = new Talk().say(user('Count'));
      talk.answer(target, { text: 'One, two' });
      const first = talk.write(target);
      talk.answer(target, { text: 'three, four' });
      talk.say(user('More'));
      const next = talk.write(target, { previous: first.manifest });
      expect(next.verdict, next.body).toEqual(accepted);
      expect(diffPrefix(first.body, next.body)).toBeUndefined();
      expect(next.body.includes('Continue.')).toBe(first.body.includes('Continue.'));
    });

    test('nothing of it is sent again when the messages were edited', () => {
      const talk = new Talk().say(user('Look it up'));
      talk.answer({ api: from }, { calls: [{}] });
      talk.say(user('Never mind'));
      const { manifest } = talk.write(target);
      const edited = [user('Look something else up'), ...talk.messages.slice(1)];
      const sent = talk.write(target, { previous: manifest }, edited);
      expect(sent.body).toBe(talk.write(target, {}, edited).body);
    });
  },
);
