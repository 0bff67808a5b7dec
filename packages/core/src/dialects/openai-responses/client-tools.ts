import { isObject, isText, type JsonObject } from '../../json/index.ts';
import type { ContentBlock } from '../../message/index.ts';
import {
  otherMembers,
  type ReplacementTool,
  type ServedTool,
  standInCustom,
  standInFunction,
} from '../request-meaning.ts';
import { parseObject } from '../write/translate.ts';

const STRINGS = { type: 'array', items: { type: 'string' } };

/** A tool of OpenAI that the client runs, and how its calls are written. */
interface NativeTool {
  readonly description: string;
  readonly properties: JsonObject;
  readonly required: readonly string[];
  /** The type of a call, the start of its id, and the members that hold the arguments. */
  readonly type: string;
  readonly prefix: string;
  write(args: JsonObject): JsonObject;
  /** The arguments of a call. */
  read(item: JsonObject): unknown;
}

const COMPUTER: NativeTool = {
  description:
    'Uses a computer by its screen, mouse and keyboard. Each call takes actions in order and is answered with a screenshot.',
  properties: {
    actions: {
      type: 'array',
      items: {
        type: 'object',
        properties: {
          type: {
            type: 'string',
            enum: ['click', 'double_click', 'drag', 'keypress', 'move', 'screenshot', 'scroll', 'type', 'wait'],
          },
          x: { type: 'integer' },
          y: { type: 'integer' },
          button: { type: 'string', enum: ['left', 'right', 'wheel', 'back', 'forward'] },
          keys: STRINGS,
          text: { type: 'string' },
          scroll_x: { type: 'integer' },
          scroll_y: { type: 'integer' },
          path: {
            type: 'array',
            items: { type: 'object', properties: { x: { type: 'integer' }, y: { type: 'integer' } } },
          },
        },
        required: ['type'],
      },
    },
  },
  required: ['actions'],
  type: 'computer_call',
  prefix: 'cu_',
  write: ({ actions }) => ({ actions: Array.isArray(actions) ? actions : [], pending_safety_checks: [] }),
  read: ({ action, actions }) => ({ actions: actions ?? [action] }),
};

/** The tools by the type that a request names, which is also the name of the function and the form of the call. */
const TOOLS: Readonly<Record<string, NativeTool>> = {
  local_shell: {
    description: "Runs a command on the user's computer. The command is a list of the program and its arguments.",
    properties: {
      command: STRINGS,
      env: { type: 'object', additionalProperties: { type: 'string' } },
      working_directory: { type: 'string' },
      timeout_ms: { type: 'integer' },
      user: { type: 'string' },
    },
    required: ['command'],
    type: 'local_shell_call',
    prefix: 'lsh_',
    write: ({ command, env, ...others }) => ({
      action: { type: 'exec', command: asList(command), env: isObject(env) ? env : {}, ...others },
    }),
    read({ action }) {
      if (!isObject(action)) return {};
      const { type: _, ...args } = action;
      return args;
    },
  },
  shell: {
    description: 'Runs shell commands, each in its own shell, and gives their output.',
    properties: { commands: STRINGS, timeout_ms: { type: 'integer' }, max_output_length: { type: 'integer' } },
    required: ['commands'],
    type: 'shell_call',
    prefix: 'sh_',
    write: ({ commands, timeout_ms: timeout = null, max_output_length: limit = null }) => ({
      action: { commands: asList(commands), timeout_ms: timeout, max_output_length: limit },
    }),
    read: ({ action }) => action,
  },
  apply_patch: {
    description: 'Creates, changes or deletes one file. Changes are given as a diff in the V4A format.',
    properties: {
      operation: {
        type: 'object',
        properties: {
          type: { type: 'string', enum: ['create_file', 'update_file', 'delete_file'] },
          path: { type: 'string' },
          diff: { type: 'string', description: 'The diff; left out when a file is deleted.' },
        },
        required: ['type', 'path'],
      },
    },
    required: ['operation'],
    type: 'apply_patch_call',
    prefix: 'apc_',
    write: ({ operation }) => ({ operation: isObject(operation) ? operation : {} }),
    read: ({ operation }) => ({ operation }),
  },
  computer: COMPUTER,
  computer_use_preview: {
    ...COMPUTER,
    write: ({ actions }) => {
      const [action = { type: 'screenshot' }] = Array.isArray(actions) ? actions : [];
      return { action, pending_safety_checks: [] };
    },
  },
};

function asList(value: unknown): unknown[] {
  return Array.isArray(value) ? value : value === undefined ? [] : [value];
}

/** The functions that stand for a tool; undefined for the tools that OpenAI runs. */
export function readClientTool(tool: JsonObject): readonly ReplacementTool[] | undefined {
  const { type, name } = tool;
  if (typeof type !== 'string') return undefined;
  if (type === 'namespace' && isText(name)) return readNamespace(name, tool);
  if (type === 'custom' && isText(name)) return [standInCustom(name, tool.description, tool.format)];
  if (type === 'function') {
    const { description, parameters, strict } = tool;
    return standInFunction(
      { name, description, parameters, strict },
      otherMembers(tool, 'type', 'name', 'description', 'parameters', 'strict'),
    );
  }
  const native = TOOLS[type];
  if (!native || isOnServer(tool)) return undefined;
  const { description, properties, required } = native;
  const parameters = { type: 'object', properties, required, additionalProperties: false };
  const lost = otherMembers(tool, 'type');
  return [
    {
      name: functionName(type),
      description: [description, ...screenText(tool)].join(' '),
      parameters,
      served: { name: functionName(type), form: type },
      isStandIn: true,
      ...(lost.length > 0 && { lost }),
    },
  ];
}

/** Both kinds of computers are one, so that the calls of a history have one name. */
function functionName(form: string): string {
  return form === 'computer_use_preview' ? 'computer' : form;
}

/** A shell in a container runs at OpenAI. */
function isOnServer({ environment }: JsonObject): boolean {
  return isObject(environment) && environment.type !== 'local';
}

function screenText({ display_width: width, display_height: height }: JsonObject): string[] {
  return typeof width === 'number' && typeof height === 'number' ? [`The screen is ${width}x${height} pixels.`] : [];
}

/** The tools of a group, each under the name of the group and its own. */
function readNamespace(namespace: string, { tools }: JsonObject): readonly ReplacementTool[] {
  const inner = Array.isArray(tools) ? tools.filter(isObject) : [];
  return inner
    .flatMap(readClientTool)
    .flatMap((tool) =>
      tool
        ? [{ ...tool, isStandIn: true, name: `${namespace}__${tool.name}`, served: { ...tool.served, namespace } }]
        : [],
    );
}

/** A call of such a tool in the history, or what a command of a shell printed. All other results are shown by the view. */
export function readClientBlock(item: JsonObject): ContentBlock | undefined {
  const { stdout, stderr, outcome } = item;
  if (typeof stdout === 'string' || typeof stderr === 'string')
    return { type: 'text', text: [stdout, stderr, outcomeText(outcome)].filter(isText).join('\n') };
  const form = Object.keys(TOOLS).find((one) => TOOLS[one]!.type === item.type);
  const { call_id: id } = item;
  if (form === undefined || !isText(id)) return undefined;
  const parameters = TOOLS[form]!.read(item);
  const known = isObject(parameters) ? parameters : {};
  return { type: 'tool-use', id, name: functionName(form), parameters: known, rawParameters: JSON.stringify(known) };
}

function outcomeText(outcome: unknown): string {
  if (!isObject(outcome)) return '';
  return outcome.type === 'timeout' ? '(timed out)' : `(exit code ${String(outcome.exit_code)})`;
}

/** A call as an item in the client's own kind; undefined for functions and tools that take text. */
export function nativeCall(
  { form = '' }: ServedTool,
  rawParameters: string,
): { readonly type: string; readonly prefix: string; readonly members: JsonObject } | undefined {
  const native = TOOLS[form];
  if (!native) return undefined;
  return { type: native.type, prefix: native.prefix, members: native.write(parseObject(rawParameters) ?? {}) };
}
