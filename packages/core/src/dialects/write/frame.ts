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
import { dropped, type Loss, type LossNote, rewritten } from '../loss.ts';
import { type Element, joinElement } from '../manifest.ts';
import type { CachePoint, ToolDefinition } from '../request.ts';
import { locate, targetToolName } from './drafts.ts';
import { noteLeftOut, toJsonString } from './translate.ts';
import type { Frame, MarkablePart, RequestWriter, Target } from './writer.ts';

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

/** APIs take at most four (`cache-max`). */
const MOST = 4;

const NOT_PLACED = /* @__PURE__ */ dropped('', 'cache-marker');

/** Where cache markers are to be placed. */
interface CacheMarkers {
  readonly tools: boolean;
  readonly system: boolean;
  /** Indexes of the messages to mark. */
  readonly messages: ReadonlySet<number>;
  readonly losses: readonly Loss[];
}

/** Checks cache points and resolves them to indexes. They are lost where the target takes no markers. */
export function resolveCachePoints(
  points: readonly CachePoint[],
  count: number,
  writer: RequestWriter,
  target: Target,
): CacheMarkers {
  const isPoint = (point: unknown): boolean => point === 'tools' || point === 'system' || Number.isInteger(point);
  if (!Array.isArray(points) || !points.every(isPoint))
    throw new RangeError(`"cache" must list 'tools', 'system' and indexes of messages, not ${JSON.stringify(points)}`);
  if (points.length > MOST)
    throw new RangeError(`At most ${MOST} cache points can be placed, but ${points.length} were given`);
  const indexes = points.filter((point) => typeof point === 'number');
  const outside = indexes.find((index) => index >= count);
  if (outside !== undefined) throw new RangeError(`There is no message ${outside} to place a cache marker on`);
  const taken = writer.mark ? (writer.markable?.(target) ?? EVERYWHERE) : [];
  if (taken.length === 0 && points.length > 0)
    return { tools: false, system: false, messages: new Set(), losses: [locate(NOT_PLACED, -1)] };
  const untaken = points.filter((point) => !taken.includes(typeof point === 'number' ? 'messages' : point));
  // A fixed setting such as -2 must not fail on the first turn.
  const early = indexes.filter((index) => index < -count);
  const placed = taken.includes('messages') ? indexes.filter((index) => index >= -count) : [];
  return {
    tools: points.includes('tools') && taken.includes('tools'),
    system: points.includes('system') && taken.includes('system'),
    messages: new Set(placed.map((index) => (index < 0 ? count + index : index))),
    losses: [...untaken, ...early].map((point) => locate(dropped('', 'cache-marker', `${point}`), -1)),
  };
}

const EVERYWHERE: readonly MarkablePart[] = ['tools', 'system', 'messages'];

/** Places a cache marker on the last element of each message at these indexes. */
export function markElements(
  elements: readonly Element[],
  points: ReadonlySet<number>,
  writer: RequestWriter,
  messages: readonly Message[],
): readonly Element[] {
  if (points.size === 0) return elements;
  const places = new Set([...points].map((point) => elements.findLastIndex((element) => element.of.includes(point))));
  return elements.map((element, index) => {
    const text = places.has(index) ? writer.mark!(joinElement(element, (at) => messages[at]!.raw)) : undefined;
    return text === undefined ? element : { of: element.of, pieces: [text], plain: element.pieces };
  });
}

/** The losses of cache points whose message is not sent as an element, or may not carry a marker. */
export function findUnplaced(points: ReadonlySet<number>, elements: readonly Element[]): Loss[] {
  if (points.size === 0) return [];
  const placed = new Set(elements.flatMap(({ of, plain }) => (plain ? of : [])));
  const missing = [...points].filter((point) => !placed.has(point));
  return missing.map((message) => locate(NOT_PLACED, message));
}
