import { Changes, elementTexts, isObject, membersOf, parseJson, splice, textAt } from '../../json/index.ts';
import { joinedTexts, type Unit } from '../write/index.ts';
import { textPart } from './forms.ts';

/**
 * Several messages of one role as one, for chat templates that insist on taking turns. Only messages that are nothing
 * but role and content can be one, and what they say can stand before the calls of the last; tool results stay apart
 * in any case.
 */
export function gather(units: readonly Unit[]): Unit | undefined {
  const last = units.at(-1);
  const lists = units.map((unit) => plainParts(unit.text, unit === last && unit.calls.length > 0));
  if (!last || last.role === 'tool' || !lists.every((list) => list !== undefined)) return undefined;
  const parts = lists.flat();
  const texts = parts.map(plainText);
  const content = texts.every((text) => text !== undefined) ? joinedTexts(texts) : `[${parts.join(',')}]`;
  const changes = new Changes();
  changes.set(['content'], content);
  return {
    role: last.role,
    text: splice(last.text, changes.edits(last.text)),
    calls: last.calls,
    results: [],
    losses: units.flatMap((unit) => unit.losses),
  };
}

/** The parts of a message that has nothing else to lose, or does not lose what else it has. */
function plainParts(text: string, isKept: boolean): string[] | undefined {
  const isPlain = membersOf(text).every(
    ({ name, start, end }) => isKept || name === 'role' || name === 'content' || text.slice(start, end) === 'null',
  );
  const content = textAt(text, ['content']) ?? 'null';
  if (!isPlain) return undefined;
  if (content.startsWith('"')) return [textPart(content)];
  if (content.startsWith('[')) return elementTexts(content);
  return isKept ? [] : undefined;
}

/** The text of a part that is nothing but text. */
function plainText(part: string): string | undefined {
  const value = parseJson(part);
  const isPlain = isObject(value) && value.type === 'text' && Object.keys(value).length === 2;
  return isPlain ? textAt(part, ['text']) : undefined;
}
