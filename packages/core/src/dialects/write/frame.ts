import {
  getMember,
  isObject,
  membersOf,
  parseJson,
  parseTree,
  printTree,
  type RecordNode,
  recordNode,
  setMember,
  type Tree,
} from '../../json/index.ts';

/** A top-level member of a body: name and JSON text. */
export type BodyMember = readonly [name: string, text: string];

/** The body around a message list: `head` members stand before it, `tail` members and further `extra` ones behind it. */
export function frameText(
  head: readonly BodyMember[],
  list: string,
  tail: readonly BodyMember[],
  extra: Readonly<Record<string, string>>,
): { head: string; tail: string } {
  if (list in extra) throw new TypeError(`"extra" cannot replace "${list}": give the messages as messages`);
  const taken = new Set([...head, ...tail].map(([name]) => name));
  const own = ([name, text]: BodyMember): BodyMember => [name, name in extra ? mergeText(text, extra[name]!) : text];
  const added = Object.entries(extra).filter(([name]) => !taken.has(name));
  const before = head
    .map(own)
    .map((member) => `${memberText(member)},`)
    .join('');
  const after = [...tail.map(own), ...added].map((member) => `,${memberText(member)}`).join('');
  return { head: `{${before}${JSON.stringify(list)}:[`, tail: `]${after}}` };
}

/** The members of `extra` as texts; given as JSON text, they keep their exact spelling. */
export function extraMembers(extra: object | string | undefined): Record<string, string> {
  if (extra === undefined) return {};
  const text = typeof extra === 'string' ? extra : JSON.stringify(extra);
  if (!isObject(parseJson(text))) throw new TypeError('"extra" must be a JSON object');
  return Object.fromEntries(membersOf(text).map((member) => [member.name, text.slice(member.start, member.end)]));
}

function memberText([name, text]: BodyMember): string {
  return `${JSON.stringify(name)}:${text}`;
}

/** Objects merge member by member; otherwise what the caller gave counts. */
export function mergeText(own: string, given: string): string {
  return printTree(mergeTrees(parseTree(own), parseTree(given)));
}

function mergeTrees(own: Tree, given: Tree): Tree {
  if (own.kind !== 'record' || given.kind !== 'record') return given;
  const merged: RecordNode = recordNode();
  for (const { name, key, value } of [...own.members, ...given.members]) {
    const before = getMember(merged, name);
    setMember(merged, name, before ? mergeTrees(before, value) : value, key);
  }
  return merged;
}
