import fc from 'fast-check';
import { expect, it } from 'vitest';
import { assemble } from './read-stream.ts';

/** The same character may be spelled in several ways; each must arrive as it was sent. */
const character = fc.constantFrom('a', ' ', 'é', '\\u00e9', '/', '\\/', '\\n', '\\"', '\\\\', '\\\\u', '😀', '\\ud83d');
const piece = fc.array(character, { maxLength: 4 }).map((characters) => characters.join(''));
const name = fc.constantFrom('content', 'reasoning_content', 'refusal', 'mood', 'arguments');
const noise = fc.constantFrom('', ',"usage":null', ',"obfuscation":"x\\n"', ',"obfuscation":"\\u0041"');

function eventOf(member: string, text: string, more: string): string {
  const delta =
    member === 'arguments'
      ? `{"tool_calls":[{"index":0,"function":{"arguments":"${text}"}}]}`
      : `{"${member}":"${text}"}`;
  return `{"id":"c","choices":[{"index":0,"delta":${delta},"finish_reason":null}]${more}}`;
}

it('joins pieces in exactly the spelling they came in, however they are mixed', () => {
  fc.assert(
    fc.property(fc.array(fc.tuple(name, piece, noise), { maxLength: 40 }), (events) => {
      const assembler = assemble();
      for (const [member, text, more] of events) assembler.push(undefined, eventOf(member, text, more));
      const { raw } = assembler.finish().choices[0]!;
      for (const member of new Set(events.map(([one]) => one))) {
        const joined = events.map(([one, text]) => (one === member ? text : '')).join('');
        expect(raw).toContain(`"${member}":"${joined}"`);
      }
      JSON.parse(raw);
    }),
    { numRuns: 500 },
  );
});
