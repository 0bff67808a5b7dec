import { elementTexts, isObject, membersOf, parseJson, textAt } from '../../json/index.ts';
import type { Unit } from '../write/writer.ts';
import { BETWEEN } from './write-text.ts';

const ESCAPED_BETWEEN = JSON.stringify(BETWEEN).slice(1, -1);

/**
 * Several messages of one role as one, for chat templates that insist on taking turns. Only messages that are nothing
 * but role and content can be one; tool results stay apart in any case.
 */
export function gather(units: readonly Unit[]): Unit | undefined {
  const [first] = units;
  if (!first || first.role === 'tool') return undefined;
  const contents = units.map((unit) => plainContent(unit.text));
  if (contents.some((content) => content === undefined)) return undefined;
  const texts = contents.map((content) => bareTexts(content!));
  const content = texts.every((text) => text !== undefined)
    ? `"${texts
        .flat()
        .map((text) => text!.slice(1, -1))
        .join(ESCAPED_BETWEEN)}"`
    : `[${contents.flatMap((content) => partsOf(content!)).join(',')}]`;
  return {
    role: first.role,
    text: `{"role":${textAt(first.text, ['role'])},"content":${content}}`,
    calls: units.flatMap((unit) => unit.calls),
    results: units.flatMap((unit) => unit.results),
    losses: units.flatMap((unit) => unit.losses),
  };
}

/** The exact content text of a message that has nothing else to lose. */
function plainContent(text: string): string | undefined {
  const others = membersOf(text).filter(({ name }) => name !== 'role' && name !== 'content');
  if (others.some(({ start, end }) => text.slice(start, end) !== 'null')) return undefined;
  const content = textAt(text, ['content']);
  return content?.startsWith('"') || content?.startsWith('[') ? content : undefined;
}

/** The string texts of content that is nothing but text. */
function bareTexts(content: string): string[] | undefined {
  if (content.startsWith('"')) return [content];
  const texts = elementTexts(content).map((part) => {
    const value = parseJson(part);
    const plain = isObject(value) && value.type === 'text' && Object.keys(value).length === 2;
    return plain ? textAt(part, ['text']) : undefined;
  });
  return texts.every((text) => text !== undefined) ? texts : undefined;
}

function partsOf(content: string): string[] {
  return content.startsWith('"') ? [`{"type":"text","text":${content}}`] : elementTexts(content);
}
