import { elementTexts, membersOf, skipSpace } from '../../json/index.ts';
import type { CallRef } from '../../message/index.ts';
import type { LossNote } from '../loss.ts';
import type { Unit } from '../write/writer.ts';
import { isField } from './fields.ts';
import { textPart } from './write-parts.ts';

/** A content written from its parts. */
export function contentUnit(
  role: 'user' | 'assistant' | 'tool',
  parts: readonly string[],
  losses: readonly LossNote[],
  pairing: { readonly calls?: readonly CallRef[]; readonly results?: readonly string[] } = {},
): Unit {
  const text = `{"role":"${role === 'assistant' ? 'model' : 'user'}","parts":[${parts.join(',')}]}`;
  const { calls = [], results = [] } = pairing;
  return { role, text, calls, results, losses, ...(role !== 'assistant' && { parts }) };
}

export function userText(text: string): Unit {
  const losses: LossNote[] = [];
  return contentUnit('user', [textPart(text, '', losses)], losses);
}

/** All results of a turn in one content (`count`); contents of one role in a row count as one anyway. */
export function gather(units: readonly Unit[]): Unit | undefined {
  const [first] = units;
  if (!first || (first.role !== 'tool' && first.role !== 'user')) return undefined;
  const parts: string[] = [];
  for (const unit of units) {
    const own = unit.parts ?? nativeParts(unit.text);
    if (!own) return undefined;
    parts.push(...own);
  }
  const losses = units.flatMap((unit) => unit.losses);
  return contentUnit(first.role, parts, losses, { results: units.flatMap((unit) => unit.results) });
}

/** The parts of a content; undefined when it says more than role and parts. */
function nativeParts(text: string): readonly string[] | undefined {
  const members = membersOf(text, skipSpace(text, 0));
  const list = members.find(({ name }) => name === 'parts');
  if (!list || text[list.start] !== '[') return undefined;
  return members.every(({ name }) => isField(name, 'parts') || name === 'role')
    ? elementTexts(text, list.start)
    : undefined;
}
