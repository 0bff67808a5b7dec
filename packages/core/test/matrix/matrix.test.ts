import { joinManifest, MessageList, user } from '@skein/core';
import { describe, expect, test } from 'vitest';
import { share } from '../../../../scripts/test-shares.ts';
import { inside, member } from '../loops/compare.ts';
import { APIS, newest } from './apis.ts';
import { elsewhere } from './elsewhere.ts';
import { SCENARIOS } from './scenarios.ts';
import { silentLosses } from './silent-losses.ts';
import { type Sent, Talk, type Target } from './talk.ts';

const inner = (raw: string): string => (raw.startsWith('[') ? raw.slice(1, -1) : raw);

/** Google documents a word that stands for signatures nobody has; it gives nothing away. */
const withoutPlaceholder = (body: string): string =>
  body.replaceAll('"thoughtSignature":"skip_thought_signature_validator"', '');

/** Everything that holds for any request, whatever it carries. */
function expectGood(talk: Talk, target: Target, sent: Sent): void {
  const { dialect } = target.api;
  expect(sent.verdict, sent.body).toEqual({ refusal: undefined, warnings: [] });
  expect(silentLosses(talk.messages, sent, dialect)).toEqual([]);
  expect(joinManifest(sent.manifest, (index) => talk.messages[index]!.raw)).toBe(sent.body);
  const reloaded = [...MessageList.fromJSON(JSON.stringify(new MessageList(talk.messages)))];
  expect(talk.write(target, {}, reloaded).body).toBe(sent.body);
}

/** Texts that are sent as they are, unless the provider itself would refuse them; blocks, where turns become one. */
const intact = (talk: Talk, { api }: Target): string[] =>
  talk.messages
    .filter(({ origin, facts }) => origin.dialect === api.id && facts.needs.every((need) => need === 'bound'))
    .flatMap(({ raw }) => (api.dialect.home.policies.alternateRoles ? inside(member(raw, 'content')!) : inner(raw)));

const ALL_TARGETS = APIS.flatMap((api) => api.models.map((model) => ({ api, model, to: model })));

for (const scenario of SCENARIOS) {
  describe(scenario.name, () => {
    for (const [turn, sourceApi] of APIS.entries()) {
      for (const sourceModel of new Set([sourceApi.models[0], newest(sourceApi)])) {
        const source: Target = { api: sourceApi, model: sourceModel };

        test.each(share(ALL_TARGETS, turn))(
          `${sourceModel} (${sourceApi.id}) to $to ($api.id) and back`,
          ({ api, model }) => {
            const talk = new Talk();
            scenario.play(talk, source);
            const own = intact(talk, source);
            const there: Target = { api, model };
            expectGood(talk, there, talk.write(there));

            talk.answer(there, { thought: 'a thought on the way', text: 'Good to be here' });
            talk.say(user('Back again'));
            const back = talk.write(source);
            expectGood(talk, source, back);
            for (const raw of own) expect(back.body).toContain(raw);
          },
        );

        test(`${sourceModel} to another issuer of ${sourceApi.id}: nothing opaque goes there`, () => {
          const talk = new Talk();
          scenario.play(talk, source);
          const there: Target = { ...source, provider: elsewhere(sourceApi) };
          const sent = talk.write(there);
          expectGood(talk, there, sent);
          for (const opaque of ['ignature":', 'encrypted_content":', 'uture', 'secret', 'rs_', 'msg_', 'fc_'])
            expect(withoutPlaceholder(sent.body)).not.toContain(opaque);
        });
      }
    }
  });
}
