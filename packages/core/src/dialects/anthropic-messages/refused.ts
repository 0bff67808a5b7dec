import { elementsOf, memberOf, skipSpace, splice, withoutMembers } from '../../json/index.ts';
import type { LossNote } from '../loss.ts';
import { dropped } from '../write/notes.ts';

/** The text without the fields that the provider refuses when its own messages come back. */
export function withoutRefused(raw: string, fields: readonly string[], losses: LossNote[]): string {
  let text = raw;
  for (const field of fields) {
    const steps = field.split('.');
    const name = steps.pop()!;
    if (!text.includes(`"${name}"`)) continue;
    const edits = holders(text, skipSpace(text, 0), steps).flatMap((start) =>
      withoutMembers(text, start, (member) => member === name),
    );
    if (edits.length > 0) losses.push(dropped(field, 'refused-field', `the provider does not take "${name}" back`));
    text = splice(text, edits);
  }
  return text;
}

/** Where the objects start that a path leads to. */
function holders(text: string, start: number, steps: readonly string[]): number[] {
  const [step, ...more] = steps;
  const code = text[start];
  if (step === undefined) return code === '{' ? [start] : [];
  if (step === '*')
    return code === '[' ? elementsOf(text, start).flatMap((item) => holders(text, item.start, more)) : [];
  const member = code === '{' ? memberOf(text, start, step) : undefined;
  return member ? holders(text, member.start, more) : [];
}
