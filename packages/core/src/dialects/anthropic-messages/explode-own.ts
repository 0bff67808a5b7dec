import { elementTexts, parseJson, textAt } from '../../json/index.ts';
import type { Message } from '../../message/index.ts';
import type { Target, Unit } from '../write/writer.ts';
import { isToolResult } from './flaws.ts';
import { messageText } from './forms.ts';
import { spliceMessage } from './write-own.ts';

/** A user message of this API in parts: each tool result, then the rest, every block in its own text. */
export function explodeOwn(message: Message, target: Target): readonly Unit[] {
  const units = spliceMessage(message, target, { dropBound: false });
  const [whole] = units;
  const content = whole && textAt(whole.text, ['content']);
  if (!whole || !content?.startsWith('[')) return units;
  const blocks = elementTexts(content);
  const isResult = blocks.map((block) => isToolResult(parseJson(block)));
  const results = blocks
    .filter((_, index) => isResult[index])
    .map((block, index) => unitOf('tool', [block], [whole.results[index]!]));
  const others = blocks.filter((_, index) => !isResult[index]);
  const exploded = others.length > 0 ? [...results, unitOf('user', others, [])] : results;
  return exploded.map((unit, index) => (index === 0 ? { ...unit, losses: whole.losses } : unit));
}

function unitOf(role: 'tool' | 'user', parts: readonly string[], results: readonly string[]): Unit {
  return { role, text: messageText('user', parts), calls: [], results, parts, losses: [] };
}
