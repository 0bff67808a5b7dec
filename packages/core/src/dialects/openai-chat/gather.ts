import { elementTexts, isObject, membersOf, parseJson, textAt } from '../../json/index.ts';
import type { Unit } from '../write/index.ts';
import { joinedTexts, textPart } from './forms.ts';

/**
 * Several messages of one role as one, for chat templates that insist on taking turns. Only messages that are nothing
 * but role and content can be one; tool results stay apart in any case.
 */
export function gather(units: readonly Unit[]): Unit | undefined {
  const [first] = units;
  const lists = units.map(({ text }) => plainParts(text));
  if (!first || first.role === 'tool' || !lists.every((list) => list !== undefined)) return undefined;
  const parts = lists.flat();
  const texts = parts.map(plainText);
  const content = texts.every((text) => text !== undefined) ? joinedTexts(texts) : `[${parts.join(',')}]`;
  return {
    role: first.role,
    text: `{"role":${textAt(first.text, ['role'])},"content":${content}}`,
    calls: [],
    results: [],
    losses: units.flatMap((unit) => unit.losses),
  };
}

/** The parts of a message that has nothing else to lose. */
function plainParts(text: string): string[] | undefined {
  const isPlain = membersOf(text).every(
    ({ name, start, end }) => name === 'role' || name === 'content' || text.slice(start, end) === 'null',
  );
  const content = textAt(text, ['content']);
  if (!isPlain || content === undefined) return undefined;
  if (content.startsWith('"')) return [textPart(content)];
  return content.startsWith('[') ? elementTexts(content) : undefined;
}

/** The text of a part that is nothing but text. */
function plainText(part: string): string | undefined {
  const value = parseJson(part);
  const isPlain = isObject(value) && value.type === 'text' && Object.keys(value).length === 2;
  return isPlain ? textAt(part, ['text']) : undefined;
}
