/** Contents as Gemini reads them: consecutive contents of one role count as one turn (wire-rules, "surprises"). */

import { isObject, type Json, objects } from '../../json.ts';
export interface PlacedPart {
  readonly part: Json;
  /** Index in `contents` and in its `parts`. */
  readonly content: number;
  readonly index: number;
  /** `contents[1].parts[0]` */
  readonly path: string;
}

export interface Turn {
  readonly role: 'user' | 'model';
  readonly parts: readonly PlacedPart[];
}

/** No role means user; `function` is an older name for a user content with results. */
export const roleOf = ({ role }: Json): 'user' | 'model' => (role === 'model' ? 'model' : 'user');

export const place = ({ parts }: Json, content: number): readonly PlacedPart[] =>
  objects(parts).map((part, index) => ({ part, content, index, path: `contents[${content}].parts[${index}]` }));

export function mergeTurns(contents: readonly Json[]): readonly Turn[] {
  const turns: { role: 'user' | 'model'; parts: PlacedPart[] }[] = [];
  contents.forEach((content, index) => {
    const role = roleOf(content);
    const last = turns.at(-1);
    if (last && last.role === role) last.parts.push(...place(content, index));
    else turns.push({ role, parts: [...place(content, index)] });
  });
  return turns;
}

export const calls = (parts: readonly PlacedPart[]): readonly PlacedPart[] =>
  parts.filter(({ part }) => isObject(part.functionCall));
export const responses = (parts: readonly PlacedPart[]): readonly PlacedPart[] =>
  parts.filter(({ part }) => isObject(part.functionResponse));
