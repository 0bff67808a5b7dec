import type { JsonObject, Path } from '../../json/index.ts';

/** Where the pieces of a streamed string belong in their item. */
export interface PieceRule {
  /** The type of item, for events whose item was never announced. */
  readonly item: string;
  /** The type of the list element that holds the string, if one does. */
  readonly part?: string;
  readonly path: (event: JsonObject) => Path;
  /** Which member of the `.done` event holds the whole string. */
  readonly whole: string;
  readonly says?: 'text' | 'reasoning' | 'refusal' | 'tool-arguments';
}

const index = (value: unknown): number => (typeof value === 'number' && value >= 0 ? value : 0);

const RULES: Readonly<Record<string, PieceRule>> = {
  output_text: {
    item: 'message',
    part: 'output_text',
    path: (event) => ['content', index(event.content_index), 'text'],
    whole: 'text',
    says: 'text',
  },
  refusal: {
    item: 'message',
    part: 'refusal',
    path: (event) => ['content', index(event.content_index), 'refusal'],
    whole: 'refusal',
    says: 'refusal',
  },
  reasoning_text: {
    item: 'reasoning',
    part: 'reasoning_text',
    path: (event) => ['content', index(event.content_index), 'text'],
    whole: 'text',
    says: 'reasoning',
  },
  reasoning_summary_text: {
    item: 'reasoning',
    part: 'summary_text',
    path: (event) => ['summary', index(event.summary_index), 'text'],
    whole: 'text',
    says: 'reasoning',
  },
  function_call_arguments: {
    item: 'function_call',
    path: () => ['arguments'],
    whole: 'arguments',
    says: 'tool-arguments',
  },
  custom_tool_call_input: { item: 'custom_tool_call', path: () => ['input'], whole: 'input', says: 'tool-arguments' },
  mcp_call_arguments: { item: 'mcp_call', path: () => ['arguments'], whole: 'arguments' },
  code_interpreter_call_code: { item: 'code_interpreter_call', path: () => ['code'], whole: 'code' },
  shell_call_command: {
    item: 'shell_call',
    path: (event) => ['action', 'commands', index(event.command_index)],
    whole: 'command',
  },
  apply_patch_call_operation_diff: { item: 'apply_patch_call', path: () => ['operation', 'diff'], whole: 'diff' },
};

const byEvent = (suffix: string): ReadonlyMap<unknown, PieceRule> =>
  new Map(Object.entries(RULES).map(([name, rule]) => [`response.${name}.${suffix}`, rule]));

export const DELTAS = /* @__PURE__ */ byEvent('delta');
export const WHOLES = /* @__PURE__ */ byEvent('done');

/** Parts that begin or end, and the list they stand in. */
export const PARTS: ReadonlyMap<unknown, { readonly list: string; readonly index: string; readonly isWhole: boolean }> =
  new Map([
    ['response.content_part.added', { list: 'content', index: 'content_index', isWhole: false }],
    ['response.content_part.done', { list: 'content', index: 'content_index', isWhole: true }],
    ['response.reasoning_summary_part.added', { list: 'summary', index: 'summary_index', isWhole: false }],
    ['response.reasoning_summary_part.done', { list: 'summary', index: 'summary_index', isWhole: true }],
  ]);

export const TERMINAL: ReadonlySet<unknown> = new Set([
  'response.completed',
  'response.incomplete',
  'response.failed',
  'response.cancelled',
]);

/** Events that carry the response as it stands. */
export const SNAPSHOTS: ReadonlySet<unknown> = new Set(['response.created', 'response.queued', 'response.in_progress']);

/** How server-side tools get on, previews of images, signs of life: what they lead to comes with the item. */
const PROGRESS =
  /^response\.(?:(?:web_search|file_search|code_interpreter|image_generation|mcp|computer|shell|apply_patch|tool_search)_call|mcp_list_tools)\.(?:in_progress|searching|interpreting|generating|partial_image|completed|failed|incomplete)$|^response\.shell_call_command\.added$|^response\.shell_call_output_content\.(?:delta|done)$|^keepalive$/;

export function isProgress(type: string): boolean {
  return PROGRESS.test(type);
}

/** Whether this version reads events of this type, or knows to pass them over. */
export function isKnown(type: string): boolean {
  return (
    DELTAS.has(type) ||
    WHOLES.has(type) ||
    PARTS.has(type) ||
    TERMINAL.has(type) ||
    SNAPSHOTS.has(type) ||
    /^response\.output_(?:item\.(?:added|done)|text\.annotation\.added)$/.test(type) ||
    isProgress(type)
  );
}

/** Members that only some events have, which this version reads or knows to be of no further use. */
const KNOWN_MEMBERS: ReadonlySet<string> = new Set([
  'annotation',
  'annotation_index',
  'arguments',
  'background',
  'code',
  'command',
  'command_index',
  'diff',
  'input',
  'item',
  'output',
  'output_format',
  'part',
  'partial_image_b64',
  'partial_image_index',
  'quality',
  'refusal',
  'response',
  'size',
  'text',
]);

/** The same question for each member of each event: those that deltas have are answered without looking them up. */
export function isKnownMember(name: string): boolean {
  switch (name) {
    case 'type':
    case 'sequence_number':
    case 'item_id':
    case 'output_index':
    case 'content_index':
    case 'summary_index':
    case 'delta':
    case 'logprobs':
    case 'obfuscation':
      return true;
    default:
      return KNOWN_MEMBERS.has(name);
  }
}
