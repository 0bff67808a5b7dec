import { isObject, isText, type JsonObject } from '../../json/index.ts';
import type { ModelTarget } from '../provider.ts';
import {
  type MemberValue,
  otherMembers,
  type ReplacementTool,
  type RequestMeaning,
  standInFunction,
} from '../request-meaning.ts';
import { alwaysThinks, thinksBy } from './rules.ts';

/** The members of a request of the Messages API. */
export const meaning: RequestMeaning = {
  params: {
    maxTokens: 'max_tokens',
    topP: 'top_p',
    stop: 'stop_sequences',
    toolChoice: 'tool_choice',
    parallelToolCalls: 'tool_choice.disable_parallel_tool_use',
    reasoning: 'thinking',
  },
  members: {
    anthropic_beta: { otherwise: 'reported' },
    anthropic_version: { otherwise: 'served' },
    betas: { otherwise: 'reported' },
    cache_control: { otherwise: 'served' },
    compaction: { otherwise: 'reported' },
    container: { otherwise: 'reported' },
    context_management: { otherwise: 'reported' },
    diagnostics: { otherwise: 'served' },
    fallback_credit_token: { otherwise: 'reported' },
    fallbacks: { otherwise: 'reported' },
    inference_geo: { otherwise: 'refused', idle: ['global'] },
    mcp_servers: { otherwise: 'reported', idle: [[]] },
    'metadata.user_id': { setting: 'user', otherwise: 'reported', maxLength: 256 },
    'output_config.effort': { read: (effort) => readEffort(effort), otherwise: 'reported' },
    'output_config.format': { read: readFormat, otherwise: 'refused' },
    'output_config.task_budget': { otherwise: 'reported' },
    output_format: { read: readFormat, otherwise: 'refused' },
    service_tier: {
      setting: 'service-tier',
      words: [['standard_only', 'standard']],
      otherwise: 'reported',
      idle: ['auto'],
    },
    speed: { otherwise: 'reported', idle: ['standard'] },
    thinking: { read: readThinking, otherwise: 'reported' },
    'thinking.display': {
      setting: 'thoughts',
      words: [
        ['summarized', 'shown'],
        ['omitted', 'hidden'],
      ],
      needsReasoning: true,
      otherwise: 'reported',
    },
    thread: { otherwise: 'served' },
    tool_choice: { read: readChoice, otherwise: 'refused' },
    top_k: { setting: 'top-k', otherwise: 'reported' },
    user_profile_id: { otherwise: 'reported' },
    workspace_id: { otherwise: 'reported' },
  },
  reasoning: readScale,
  // Newer models take only one of the two.
  refusedParams: (_, { temperature, topP }) => (temperature !== undefined && topP !== undefined ? ['topP'] : []),
  stops: () => ({ most: Number.POSITIVE_INFINITY, pattern: /\S/ }),
  needsCacheMarkers: () => true,
  readClientTool,
  readServerTool({ type }) {
    const kind = typeof type === 'string' ? /^(web_search|web_fetch|code_execution)_\d+$/.exec(type)?.[1] : undefined;
    if (kind === 'web_search') return 'web-search';
    return kind === 'web_fetch' ? 'web-fetch' : kind === 'code_execution' ? 'code-execution' : undefined;
  },
  writeServerTool(kind) {
    return kind === 'web-search' ? { type: 'web_search_20250305', name: 'web_search' } : undefined;
  },
  vendorText: /^x-anthropic-[a-z-]+:/,
};

/** The levels of a model: none before 4.6, where thinking has a budget, and one less at 4.6. */
export function readScale(target: ModelTarget): { efforts: readonly string[]; takesBudget: boolean } {
  const by = thinksBy(target);
  const off = alwaysThinks(target) ? [] : ['none'];
  if (by === 'budget') return { efforts: off, takesBudget: true };
  const levels = by === 'either' ? ['low', 'medium', 'high', 'max'] : ['low', 'medium', 'high', 'xhigh', 'max'];
  return { efforts: [...off, ...levels], takesBudget: false };
}

function readEffort(effort: unknown): MemberValue | undefined {
  return isText(effort) ? { params: { reasoning: { effort } } } : undefined;
}

/** `adaptive` leaves the amount to `output_config.effort`, or to the model. */
function readThinking(value: unknown): MemberValue | undefined {
  if (!isObject(value)) return undefined;
  const { type, budget_tokens: budget, display } = value;
  const lost = otherMembers(value, 'type', 'budget_tokens', 'display');
  const others = lost.length > 0 ? { lost } : {};
  if (type === 'disabled') return { params: { reasoning: { effort: 'none' } }, ...others };
  const settings = { thoughts: display === 'omitted' ? 'hidden' : 'shown' };
  if (type === 'adaptive') return { params: { reasoning: { effort: ADAPTIVE } }, settings, ...others };
  return type === 'enabled' && typeof budget === 'number'
    ? { params: { reasoning: { budget } }, settings, ...others }
    : undefined;
}

/** The level at which the API lets a model decide. */
const ADAPTIVE = 'high';

function readFormat(value: unknown): MemberValue | undefined {
  if (!isObject(value)) return undefined;
  const { type, schema } = value;
  return type === 'json_schema' && isObject(schema) ? { output: { schema, isStrict: true } } : undefined;
}

const CHOICES: readonly (readonly [string, 'auto' | 'none' | 'required'])[] = [
  ['auto', 'auto'],
  ['none', 'none'],
  ['any', 'required'],
];

function readChoice(value: unknown): MemberValue | undefined {
  if (!isObject(value)) return undefined;
  const { type, name, disable_parallel_tool_use: isSingle } = value;
  const word = CHOICES.find(([known]) => known === type)?.[1];
  const toolChoice = type === 'tool' && isText(name) ? { name } : word;
  if (toolChoice === undefined) return undefined;
  return { params: { toolChoice, ...(isSingle === true && { parallelToolCalls: false }) } };
}

const TEXT = { type: 'string' };
const NUMBER = { type: 'integer' };
const POINT = { type: 'array', items: NUMBER };

/** The tools that Anthropic's models know and the client runs, by the beginning of their types. */
const TOOLS: Readonly<Record<string, { readonly description: string; readonly parameters: JsonObject }>> = {
  bash: {
    description: 'Runs a command in a bash session that stays open between calls.',
    parameters: object({ command: TEXT, restart: { type: 'boolean', description: 'Starts the session again.' } }),
  },
  text_editor: {
    description: 'Views, creates and edits text files.',
    parameters: object(
      {
        command: { ...TEXT, enum: ['view', 'create', 'str_replace', 'insert', 'undo_edit'] },
        path: TEXT,
        view_range: { ...POINT, description: 'The first and the last line to view.' },
        file_text: { ...TEXT, description: 'The content of the file to create.' },
        old_str: { ...TEXT, description: 'The text to replace. It must occur exactly once.' },
        new_str: TEXT,
        insert_line: { ...NUMBER, description: 'The line behind which to insert.' },
        insert_text: TEXT,
      },
      'command',
      'path',
    ),
  },
  memory: {
    description: 'Keeps notes as files below /memories, which stay between conversations.',
    parameters: object(
      {
        command: { ...TEXT, enum: ['view', 'create', 'str_replace', 'insert', 'delete', 'rename'] },
        path: TEXT,
        view_range: POINT,
        file_text: TEXT,
        old_str: TEXT,
        new_str: TEXT,
        insert_line: NUMBER,
        insert_text: TEXT,
        old_path: TEXT,
        new_path: TEXT,
      },
      'command',
    ),
  },
  computer: {
    description: 'Uses a computer by its screen, mouse and keyboard.',
    parameters: object(
      {
        action: {
          ...TEXT,
          description:
            'Such as screenshot, left_click, right_click, double_click, mouse_move, left_click_drag, type, key, scroll, wait, cursor_position.',
        },
        coordinate: { ...POINT, description: 'x and y in pixels.' },
        start_coordinate: POINT,
        text: TEXT,
        duration: { type: 'number' },
        scroll_direction: { ...TEXT, enum: ['up', 'down', 'left', 'right'] },
        scroll_amount: NUMBER,
        region: POINT,
      },
      'action',
    ),
  },
};

function object(properties: JsonObject, ...required: readonly string[]): JsonObject {
  return { type: 'object', properties, ...(required.length > 0 && { required }) };
}

/** A function of the client with members of its own, or a tool that Anthropic defines and the client runs. */
function readClientTool(tool: JsonObject): readonly ReplacementTool[] | undefined {
  const { type = 'custom', name, description, input_schema: parameters, strict } = tool;
  if (type === 'custom')
    return standInFunction(
      { name, description, parameters, strict },
      otherMembers(tool, 'type', 'name', 'description', 'input_schema', 'cache_control', 'strict'),
    );
  const kind = typeof type === 'string' ? /^(bash|text_editor|memory|computer)_\d+$/.exec(type)?.[1] : undefined;
  const known = kind === undefined ? undefined : TOOLS[kind];
  if (!known || !isText(name)) return undefined;
  const { display_width_px: width, display_height_px: height } = tool;
  const screen = typeof width === 'number' ? ` The screen is ${width}x${String(height)} pixels.` : '';
  const lost = otherMembers(tool, 'type', 'name', 'cache_control', 'display_width_px', 'display_height_px');
  return [
    {
      name,
      description: known.description + screen,
      parameters: known.parameters,
      served: { name },
      isStandIn: true,
      ...(lost.length > 0 && { lost }),
    },
  ];
}
