import fc from 'fast-check';
import {
  canonical,
  elementTexts,
  findMembers,
  isJson,
  parseTree,
  printTree,
  skipSpace,
} from '../../../packages/core/src/json/index.ts';
import { unknownValue } from '../../../packages/core/test/properties/unknown-json.ts';
import { mutated } from '../mutate.ts';
import { hold, type Target } from '../target.ts';

const SAMPLES = [
  '{"a":[1.0,2512292042121000001,{"b":"\\u00e9\\ud83d\\ude00"}],"a":null}',
  '[[],{},"",-0,1E+5]',
  ' "x" ',
];

/** JSON text: it accepts what `JSON.parse` accepts; a printed tree is the same value; cutting loses nothing. */
export const targets: readonly Target[] = [
  {
    name: 'json',
    input: fc.oneof(unknownValue, mutated(SAMPLES), fc.string({ unit: 'binary' })),
    run(text) {
      hold(isJson(text) === parses(text), 'isJson and JSON.parse differ');
      if (!isJson(text)) return 'not JSON';
      hold(canonical(printTree(parseTree(text))) === canonical(text), 'the printed tree is another value');
      hold(canonical(canonical(text)) === canonical(text), 'canonical twice is another text');
      const start = skipSpace(text, 0);
      if (text[start] === '[')
        for (const element of elementTexts(text)) hold(isJson(element), 'an element is not JSON');
      if (text[start] !== '{') return text[start] === '[' ? 'array' : 'scalar';
      for (const { start: from, end } of findMembers(text, start))
        hold(isJson(text.slice(from, end)), 'a member is not JSON');
      return 'object';
    },
  },
];

function parses(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
