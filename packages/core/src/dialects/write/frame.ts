import {
  findLoneSurrogates,
  findMembers,
  isObject,
  overlay,
  parseJson,
  parseTree,
  printTree,
  splice,
} from '../../json/index.ts';
import type { Message } from '../../message/index.ts';
import { dropped, type LossNote, rewritten } from '../loss.ts';
import type { ToolDefinition } from '../request.ts';
import { noteLeftOut, toJsonString } from './content.ts';
import { targetToolName } from './tool-calls.ts';
import type { Frame, Target } from './writer.ts';

/** A top-level member of a body: its name and JSON text; without a text it is absent. */
export type BodyMember = readonly [name: string, text: string | undefined];

/** Joins the body around a message list: `head` members before it, `tail` members and the other `extra` members behind it. */
export function joinFrame(
  head: readonly BodyMember[],
  list: string,
  tail: readonly BodyMember[],
  extra: Readonly<Record<string, string>>,
): { head: string; tail: string } {
  if (list in extra) throw new TypeError(`"extra" cannot replace "${list}"; pass the messages as "messages"`);
  const added = new Map(Object.entries(extra));
  const own = ([name, text]: BodyMember): BodyMember => {
    const given = text === undefined ? undefined : added.get(name);
    if (given !== undefined) added.delete(name);
    return [name, given === undefined ? text : mergeJson(text!, given)];
  };
  const before = joinMembers(head.map(own));
  const after = joinMembers([...tail.map(own), ...added]);
  return { head: `{${before && `${before},`}"${list}":[`, tail: `]${after && `,${after}`}}` };
}

/** The members of `extra` as texts. If `extra` is JSON text, they keep their exact spelling. */
export function readExtra(extra: object | string | undefined): Record<string, string> {
  if (extra === undefined) return {};
  const text = typeof extra === 'string' ? extra : JSON.stringify(extra);
  if (!isObject(parseJson(text))) throw new TypeError('"extra" must be a JSON object');
  return Object.fromEntries(findMembers(text).map((member) => [member.name, text.slice(member.start, member.end)]));
}

/** Joins members as they stand in an object. */
export function joinMembers(members: readonly BodyMember[]): string {
  return members.flatMap(([name, text]) => (text === undefined ? [] : [`${JSON.stringify(name)}:${text}`])).join(',');
}

/** Merges objects member by member; any other value that the caller gave replaces our own. */
export function mergeJson(own: string, given: string): string {
  return printTree(overlay(parseTree(own), parseTree(given), true));
}

/** The texts of a system message of any origin, as JSON strings. Other blocks are lost, with a note. */
export function readSystemTexts({ content }: Message, path: string, losses: LossNote[]): string[] {
  return content.flatMap((block, index) => {
    const at = `${path}.content[${index}]`;
    if (block.type === 'text' && block.text.trim() !== '') return [toJsonString(block.text, at, losses)];
    if (block.type !== 'text') losses.push(noteLeftOut(block, at));
    return [];
  });
}

/** A function tool as JSON texts. `members` holds `"name":…` and, if there is one, `"description":…`. */
interface ToolTexts {
  readonly members: string;
  readonly parameters: string;
  readonly path: string;
}

/** The texts of the tools: functions in the target's form, tools in its own words unchanged; those of other protocols are lost. */
export function writeTools(
  tools: readonly ToolDefinition[],
  target: Target,
  losses: LossNote[],
  form: (tool: ToolTexts) => string,
): string[] {
  return tools.flatMap((tool, index) => {
    const path = `tools[${index}]`;
    if ('native' in tool) {
      if (tool.dialect === target.provider.dialect) return [tool.native.trim()];
      losses.push(dropped(path, 'server-tool'));
      return [];
    }
    const name = targetToolName(tool.name, target.provider.policies, path, losses);
    const description =
      tool.description === undefined ? '' : `,"description":${toJsonString(tool.description, path, losses)}`;
    const parameters = typeof tool.parameters === 'string' ? tool.parameters.trim() : JSON.stringify(tool.parameters);
    return [form({ members: `"name":${JSON.stringify(name)}${description}`, parameters, path })];
  });
}

/** Replaces lone surrogates in system, tools, parameters and `extra`: providers refuse them (`surrogate`). */
export function replaceFrameSurrogates(frame: Frame): Frame {
  const { head, lead, tail, losses } = frame;
  const given = [head, tail, ...lead];
  const whole = given.map((text) => splice(text, findLoneSurrogates(text)));
  if (whole.every((text, index) => text === given[index])) return frame;
  const [wholeHead, wholeTail, ...wholeLead] = whole as [string, string, ...string[]];
  return {
    ...frame,
    head: wholeHead,
    lead: wholeLead,
    tail: wholeTail,
    losses: [...losses, rewritten('', 'surrogate')],
  };
}
