import { isObject, membersOf, overlaid, parseJson, parseTree, printTree } from '../../json/index.ts';

/** A top-level member of a body: name and JSON text; one without a text is not there. */
export type BodyMember = readonly [name: string, text: string | undefined];

/** The body around a message list: `head` members stand before it, `tail` members and further `extra` ones behind it. */
export function frameText(
  head: readonly BodyMember[],
  list: string,
  tail: readonly BodyMember[],
  extra: Readonly<Record<string, string>>,
): { head: string; tail: string } {
  if (list in extra) throw new TypeError(`"extra" cannot replace "${list}": give the messages as messages`);
  const added = new Map(Object.entries(extra));
  const own = ([name, text]: BodyMember): BodyMember => {
    const given = text === undefined ? undefined : added.get(name);
    if (given !== undefined) added.delete(name);
    return [name, given === undefined ? text : mergeText(text!, given)];
  };
  const before = membersText(head.map(own));
  const after = membersText([...tail.map(own), ...added]);
  return { head: `{${before && `${before},`}"${list}":[`, tail: `]${after && `,${after}`}}` };
}

/** The members of `extra` as texts; given as JSON text, they keep their exact spelling. */
export function extraMembers(extra: object | string | undefined): Record<string, string> {
  if (extra === undefined) return {};
  const text = typeof extra === 'string' ? extra : JSON.stringify(extra);
  if (!isObject(parseJson(text))) throw new TypeError('"extra" must be a JSON object');
  return Object.fromEntries(membersOf(text).map((member) => [member.name, text.slice(member.start, member.end)]));
}

/** Members as they stand in an object. */
export function membersText(members: readonly BodyMember[]): string {
  return members.flatMap(([name, text]) => (text === undefined ? [] : [`${JSON.stringify(name)}:${text}`])).join(',');
}

/** Objects merge member by member; otherwise what the caller gave counts. */
export function mergeText(own: string, given: string): string {
  return printTree(overlaid(parseTree(own), parseTree(given), true));
}
