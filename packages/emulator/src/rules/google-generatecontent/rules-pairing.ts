/** Function calls and their responses, on merged turns. */
import { isObject } from '../../json.ts';
import { first, type Rule } from './rule.ts';
import { calls, type PlacedPart, responses, type Turn } from './turns.ts';

const callsOf = (turn: Turn | undefined): readonly PlacedPart[] => (turn?.role === 'model' ? calls(turn.parts) : []);
const responsesOf = (turn: Turn | undefined): readonly PlacedPart[] =>
  turn?.role === 'user' ? responses(turn.parts) : [];

const data = ({ part }: PlacedPart) => {
  const found = part.functionCall ?? part.functionResponse;
  return isObject(found) ? found : {};
};
const sorted = (parts: readonly PlacedPart[], name: string) => parts.map((part) => data(part)[name]).sort();
const differ = (one: readonly unknown[], other: readonly unknown[]) =>
  one.some((value, index) => value !== other[index]);

/** Each turn of calls with the responses after it. */
const pairs = (turns: readonly Turn[]) =>
  turns.slice(0, -1).map((turn, index) => [callsOf(turn), responsesOf(turns[index + 1])] as const);

export const pairingRules: readonly Rule[] = [
  {
    // Merged, a turn with calls always follows a user turn unless it is the first.
    id: 'call-first',
    check: ({ turns }) =>
      callsOf(turns[0]).length > 0
        ? 'Please ensure that function call turn comes immediately after a user turn or after a function response turn.'
        : undefined,
  },
  {
    id: 'response-orphan',
    check: ({ turns }) =>
      turns.some((turn, index) => responsesOf(turn).length > 0 && callsOf(turns[index - 1]).length === 0)
        ? 'Please ensure that function response turn comes immediately after a function call turn.'
        : undefined,
  },
  {
    id: 'count',
    check: ({ turns }) =>
      pairs(turns).some(([asked, answered]) => asked.length > 0 && asked.length !== answered.length)
        ? 'Please ensure that the number of function response parts is equal to the number of function call parts of the function call turn.'
        : undefined,
  },
  {
    id: 'name-mismatch',
    unsure: true,
    check: ({ turns }) =>
      first(pairs(turns), ([asked, answered]) =>
        asked.length === answered.length && differ(sorted(asked, 'name'), sorted(answered, 'name'))
          ? 'Please ensure that the function response names match the function call names.'
          : undefined,
      ),
  },
  {
    // Where neither side carries ids, nothing but the order tells which response is of which call.
    id: 'response-order',
    unsure: true,
    check: ({ turns }) =>
      first(pairs(turns), ([asked, answered]) => {
        const isNameless = [...asked, ...answered].every((part) => data(part).id === undefined);
        const names = [asked, answered].map((parts) => parts.map((part) => data(part).name)) as [unknown[], unknown[]];
        const isSameSet = asked.length === answered.length && !differ(sorted(asked, 'name'), sorted(answered, 'name'));
        return isNameless && isSameSet && differ(...names)
          ? 'Please ensure that the function responses are in the order of the function calls.'
          : undefined;
      }),
  },
  {
    // Only where both sides carry ids.
    id: 'id-mismatch',
    unsure: true,
    check: ({ turns }) =>
      first(pairs(turns), ([asked, answered]) => {
        const ids = [sorted(asked, 'id'), sorted(answered, 'id')] as const;
        const complete = ids.every((list) => list.every((id) => typeof id === 'string' && id !== ''));
        return complete && asked.length === answered.length && differ(...ids)
          ? 'Please ensure that the function response ids match the function call ids.'
          : undefined;
      }),
  },
];
