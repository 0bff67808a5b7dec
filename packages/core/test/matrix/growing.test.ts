import { diffPrefix, joinManifest } from '@skein/core';
import { describe, expect, test } from 'vitest';
import { APIS } from './apis.ts';
import { SCENARIOS } from './scenarios.ts';
import { Talk } from './talk.ts';

/** Stories that go wrong on the way part by their nature: what was said to be missing arrives after all. */
const NORMAL = SCENARIOS.filter(({ name }) => !['an unanswered call', 'two turns in a row'].includes(name));

describe.each(NORMAL)('a growing conversation: $name', (scenario) => {
  test.each(APIS.flatMap((source) => APIS.map((target) => ({ source, target }))))(
    '$source.id, sent to $target.id: each request extends the one before',
    ({ source, target }) => {
      const talk = new Talk();
      scenario.play(talk, { api: source });
      const ends = talk.messages.flatMap(({ role }, index) => (role === 'assistant' && index > 0 ? [index] : []));
      let previous: string | undefined;
      for (const end of [...ends, talk.messages.length]) {
        const messages = talk.messages.slice(0, end);
        if (messages.at(-1)!.role === 'assistant') continue;
        const { body, manifest } = talk.write({ api: target }, {}, messages);
        expect(joinManifest(manifest, (index) => messages[index]!.raw)).toBe(body);
        // Where roles alternate, a question is added to one whose answer said nothing.
        const isAdded = scenario.name === 'empty and blank texts' && target.dialect.home.policies.alternateRoles;
        if (previous !== undefined && !isAdded) expect(diffPrefix(previous, body)).toBeUndefined();
        previous = body;
      }
    },
  );
});
