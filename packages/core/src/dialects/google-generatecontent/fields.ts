import { elementsOf, endOfValue, isObject, type JsonObject, type Member, membersOf } from '../../json/index.ts';

/**
 * A field of a message in the JSON form of protocol buffers: each name may be written in camelCase or in snake_case,
 * and `null` is the same as absent.
 */
export function field(value: JsonObject, name: string): unknown {
  return value[name] ?? value[snake(name)] ?? undefined;
}

export function objectField(value: JsonObject, name: string): JsonObject | undefined {
  const found = field(value, name);
  return isObject(found) ? found : undefined;
}

export function stringField(value: JsonObject, name: string): string | undefined {
  const found = field(value, name);
  return typeof found === 'string' ? found : undefined;
}

/** Where the value of a field stands in the object that starts at `start`. */
export function fieldMember(text: string, start: number, name: string): Member | undefined {
  const other = snake(name);
  const members = membersOf(text, start);
  return (
    members.findLast((member) => member.name === name && !isNull(text, member)) ??
    members.findLast((member) => member.name === other && !isNull(text, member))
  );
}

export function fieldText(text: string, start: number, name: string): string | undefined {
  const member = fieldMember(text, start, name);
  return member && text.slice(member.start, member.end);
}

/** Whether a member of that name is the field, in either spelling. */
export function isField(member: string, name: string): boolean {
  return member === name || member === snake(name);
}

/** The exact texts of the elements of the list at `start`; one element may stand for a list of one. */
export function listTexts(text: string, start: number): readonly string[] {
  if (text[start] !== '[') return [text.slice(start, endOfValue(text, start))];
  return elementsOf(text, start).map((range) => text.slice(range.start, range.end));
}

function isNull(text: string, member: Member): boolean {
  return member.end - member.start === 4 && text.startsWith('null', member.start);
}

const spelled = new Map<string, string>();

function snake(name: string): string {
  const known = spelled.get(name);
  if (known !== undefined) return known;
  const made = name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
  spelled.set(name, made);
  return made;
}
