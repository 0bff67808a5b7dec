import { type ContentBlock, describeLoss, type Notice, type Role } from '@skein/core';
import { type ContextChange, type ForestNode, ROOT, type TakeRecord, type TopologyNode } from '@skein/forest';
import type { Redactor } from '@skein/server';
import { colors, counted, formatTime, oneLine, shortId, toPrintable } from './output.ts';

/** A node as one line: id, role and the beginning of its text. */
export function nodeLine(node: ForestNode, redact: Redactor, width?: number): string {
  return `${colors.yellow(shortId(node.id))} ${roleName(node.role)} ${oneLine(redact(nodeText(node)), width)}`;
}

/** A node with its whole text. */
export function nodeLines(node: ForestNode, redact: Redactor): string[] {
  const { model } = node.takes.find((take) => take.model !== undefined) ?? {};
  const facts = [
    formatTime(node.at),
    ...(model === undefined ? [] : [model]),
    ...(node.removed ? ['removed'] : []),
    ...(node.childCount > 1 ? [`${node.childCount} branches below`] : []),
  ];
  return [
    `${colors.yellow(shortId(node.id))} ${roleName(node.role)} ${colors.dim(toPrintable(facts.join(' · ')))}`,
    ...toPrintable(redact(nodeText(node))).split('\n'),
  ];
}

/** The whole message as text. */
export function nodeText({ message }: ForestNode): string {
  return message.content.map(blockText).join('\n');
}

function roleName(role: Role): string {
  return colors.bold(role);
}

function blockText(block: ContentBlock): string {
  switch (block.type) {
    case 'text':
      return block.text;
    case 'reasoning':
      return block.redacted ? '(hidden thoughts)' : `(thought) ${block.text}`;
    case 'refusal':
      return `(refused) ${block.text}`;
    case 'tool-use':
      return `→ ${block.name}(${block.rawParameters})`;
    case 'tool-result':
      return `← ${block.isError ? '(failed) ' : ''}${block.content.map(blockText).join('\n')}`;
    case 'media':
      return `[${block.name ?? block.mediaType}]`;
    case 'unknown':
      return UNKNOWN_BLOCK;
    default:
      return unknownBlock(block);
  }
}

const UNKNOWN_BLOCK = '[a block of a kind that is not known here]';

/** A compile error here means that a kind of block has no case above. At run time it is shown as unknown. */
function unknownBlock(_block: never): string {
  return UNKNOWN_BLOCK;
}

/** The lines above a reply that tell how the system text, the tools or the history of its request changed. */
export function changeLines({ system, tools, compacted }: ContextChange, redact: Redactor): string[] {
  return [
    ...(system ? [mark('the system text changed'), ...difference(redact(system.before), redact(system.after))] : []),
    ...(tools ? [mark(toolsText(tools))] : []),
    ...(compacted ? [mark(compactedText(compacted)), ...quoted(redact(compacted.replacement))] : []),
  ];
}

/** The same as a short phrase. */
export function changeText({ system, tools, compacted }: ContextChange): string {
  return [
    ...(system ? ['the system text changed'] : []),
    ...(tools ? [toolsText(tools)] : []),
    ...(compacted ? [compactedText(compacted)] : []),
  ].join('; ');
}

const mark = (text: string) => colors.yellow(`~ ${text}`);

function compactedText({ messages }: NonNullable<ContextChange['compacted']>): string {
  return `a checkpoint was sent in place of the first ${counted(messages, 'message')}`;
}

function toolsText({ before, after }: NonNullable<ContextChange['tools']>): string {
  const [old, now] = [namesIn(before), namesIn(after)];
  const added = [...now].filter((name) => !old.has(name));
  const gone = [...old].filter((name) => !now.has(name));
  const facts = [
    ...(added.length > 0 ? [`with ${added.join(', ')}`] : []),
    ...(gone.length > 0 ? [`without ${gone.join(', ')}`] : []),
  ];
  return oneLine(`the tools changed${facts.length > 0 ? `: now ${facts.join(', ')}` : ''}`, 200);
}

/** The names in a JSON array of tool definitions; definitions in a vendor's own form have none. */
function namesIn(text: string): ReadonlySet<string> {
  const list: unknown = text === '' ? [] : JSON.parse(text);
  const all: readonly { readonly name?: unknown }[] = Array.isArray(list) ? list : [];
  return new Set(all.flatMap(({ name }) => (typeof name === 'string' ? [name] : [])));
}

/** The lines that only one of the two texts contains. */
function difference(before: string, after: string): string[] {
  const [old, now] = [before.split('\n'), after.split('\n')];
  return [
    ...old.filter((line) => line !== '' && !now.includes(line)).map((line) => colors.red(`  - ${toPrintable(line)}`)),
    ...now.filter((line) => line !== '' && !old.includes(line)).map((line) => colors.green(`  + ${toPrintable(line)}`)),
  ];
}

function quoted(text: string): string[] {
  return text === '' ? [] : text.split('\n').map((line) => colors.dim(`  ${toPrintable(line)}`));
}

/** A node for programs, as the API shows it. */
export function nodeView({ message, takes, ...node }: ForestNode) {
  return { ...node, text: message.text, content: message.content.map(blockView), takes: takes.map(takeView) };
}

/** Arguments are shown as their exact text: an integer that a double cannot hold would change. */
function blockView(block: ContentBlock): object {
  if (block.type === 'tool-use') {
    const { parameters: _byValue, ...rest } = block;
    return rest;
  }
  if (block.type === 'tool-result') return { ...block, content: block.content.map(blockView) };
  return block;
}

function takeView({ k: _k, node: _node, origin, envelope: _e, request, extra: _x, usage, ...rest }: TakeRecord) {
  const { native: _native, ...buckets } = usage ?? {};
  return {
    ...rest,
    issuer: origin.issuer,
    hasRequest: request !== undefined,
    ...(usage && { usage: buckets }),
  };
}

/** A line of a drawn tree: the lines of the graph, and the node. */
export interface TreeLine {
  readonly id: string;
  readonly graph: string;
}

/**
 * Draws a tree as `git log --graph` does: one line goes straight down, and every other branch leaves it to the right. The
 * straight line is that of `path`; elsewhere it is the newest branch. The trees below the root stand for themselves.
 */
export function drawTree(
  items: readonly TopologyNode[],
  top: string,
  path: ReadonlySet<string> = new Set(),
): TreeLine[] {
  const below = new Map<string, string[]>();
  for (const { id, parent } of items) below.set(parent, [...(below.get(parent) ?? []), id]);
  const lines: TreeLine[] = [];
  const mark = (id: string) => (path.has(id) ? '*' : 'o');
  // No recursion: a conversation can be deeper than the stack.
  const open = [{ id: top, first: '', rest: '' }];
  for (let at = open.pop(); at; at = open.pop()) {
    const { id, first, rest } = at;
    if (id !== top) lines.push({ id, graph: `${first}${mark(id)} ` });
    const children = below.get(id) ?? [];
    const straight = children.find((child) => path.has(child)) ?? children.at(-1);
    const beside = children.filter((child) => child !== straight);
    const isApart = id === top && id === ROOT;
    const branches = beside.map((child) =>
      isApart ? { id: child, first: '', rest: '' } : { id: child, first: `${rest}├─`, rest: `${rest}│ ` },
    );
    const next = straight === undefined ? [] : [{ id: straight, first: rest, rest }];
    open.push(...[...branches, ...next].toReversed());
  }
  return lines;
}

/** The notice, and one loss for each reason. */
export function noticeText({ message, losses = [] }: Notice): string {
  const distinct = losses.filter(({ reason }, index) => losses.findIndex((one) => one.reason === reason) === index);
  return [message, ...distinct.map(describeLoss)].join('; ');
}
