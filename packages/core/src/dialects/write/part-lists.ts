import { elementTexts, membersOf, parseJson, textAt } from '../../json/index.ts';
import type { CallLookup, Unit } from './writer.ts';

/** A protocol whose messages are lists of parts, where tool results may stand beside other parts. */
export interface PartForms {
  /** The member that holds the parts. */
  readonly list: string;
  isResult(part: unknown): boolean;
  userMessage(parts: readonly string[]): string;
  textPart(json: string): string;
}

/** A user message of the protocol in parts: each tool result, then the rest, every part in its own text. */
export function explodeParts(units: readonly Unit[], calls: CallLookup, forms: PartForms): readonly Unit[] {
  const [whole] = units;
  const parts = whole && sorted(partsOf(whole, forms) ?? [], forms);
  const ids = whole?.results.map((id) => calls.find(id)?.id ?? id) ?? [];
  if (!parts || parts.results.length + parts.others.length < 2) return units.map((unit) => ({ ...unit, results: ids }));
  const exploded = parts.results.map((part, index) => unitOf('tool', [part], [ids[index]!], forms));
  if (parts.others.length > 0) exploded.push(unitOf('user', parts.others, [], forms));
  return exploded.map((unit, index) => (index === 0 ? { ...unit, losses: whole.losses } : unit));
}

/** User and tool units as one message, results first; undefined for other roles and where a message says more. */
export function gatherParts(units: readonly Unit[], forms: PartForms): Unit | undefined {
  const parts = units.map((unit) => partsOf(unit, forms));
  const isUsers = units.every(({ role }) => role === 'user' || role === 'tool');
  if (!isUsers || !parts.every((list) => list !== undefined)) return undefined;
  const { results, others } = sorted(parts.flat(), forms);
  const role = units.every((unit) => unit.role === 'tool') ? 'tool' : 'user';
  const ids = units.flatMap((unit) => unit.results);
  return { ...unitOf(role, [...results, ...others], ids, forms), losses: units.flatMap((unit) => unit.losses) };
}

function unitOf(
  role: 'tool' | 'user',
  parts: readonly string[],
  results: readonly string[],
  { userMessage }: PartForms,
): Unit {
  return { role, text: userMessage(parts), calls: [], results, parts, losses: [] };
}

function sorted(parts: readonly string[], { isResult }: PartForms): { results: string[]; others: string[] } {
  const found = parts.map((part) => isResult(parseJson(part)));
  return { results: parts.filter((_, index) => found[index]), others: parts.filter((_, index) => !found[index]) };
}

/** Own texts are taken apart only here, where they are needed in parts. */
function partsOf({ text, parts }: Unit, { list, textPart }: PartForms): readonly string[] | undefined {
  if (parts) return parts;
  if (!membersOf(text).every(({ name }) => name === list || name === 'role')) return undefined;
  const value = textAt(text, [list]);
  if (value?.startsWith('"')) return [textPart(value)];
  return value?.startsWith('[') ? elementTexts(value) : undefined;
}
