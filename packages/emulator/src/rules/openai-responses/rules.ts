/** Rules about the items of the Responses API: content, ids, tool calls and their outputs, reasoning. */
import { asText, eachObject, isSet, type Json } from '../../json.ts';
import {
  type Finding,
  finding,
  mismatch,
  missingParameter,
  tooLong,
  unsupportedValue,
  unsure,
  wrongType,
} from '../openai/finding.ts';
import { isOwnType } from '../openai/shape.ts';
import type { Item, ResponsesContext, ResponsesRule } from './context.ts';
import { inputParts, outputParts } from './schema.ts';

const roles = ['assistant', 'system', 'developer', 'user'];

export const role: ResponsesRule = {
  id: 'role',
  *check({ items }) {
    for (const { at, type, fields } of items) {
      if (type !== 'message' || roles.includes(String(fields.role))) continue;
      yield unsupportedValue(`${at}.role`, fields.role, roles);
    }
  },
};

const inputTypes = Object.keys(inputParts);
const outputTypes = Object.keys(outputParts);

/** The assistant's messages have output parts; all other messages and the outputs of functions have input parts. */
export const contentType: ResponsesRule = {
  id: 'content-type',
  *check({ items, request }) {
    for (const { at, type, fields } of items) {
      const supported = type === 'message' && fields.role === 'assistant' ? outputTypes : inputTypes;
      const lists =
        type === 'message' ? ['content'] : type?.match(/^(function|custom_tool)_call_output$/) ? ['output'] : [];
      for (const list of lists) {
        for (const [part, { type: partType }] of eachObject(fields[list])) {
          if (supported.includes(String(partType)) || isOwnType(request, partType)) continue;
          yield unsupportedValue(`${at}.${list}[${part}]`, partType, supported);
        }
      }
    }
  },
};

/** The parts of one type, in messages and in outputs. */
function* eachPart({ items }: ResponsesContext, type: string): Iterable<readonly [string, Json]> {
  for (const { at, fields } of items) {
    for (const list of ['content', 'output']) {
      for (const [index, part] of eachObject(fields[list])) {
        if (part.type === type) yield [`${at}.${list}[${index}]`, part];
      }
    }
  }
}

/** openai-agents-python#1930 */
export const imageSource: ResponsesRule = {
  id: 'image-source',
  *check(context) {
    for (const [param, { file_id, image_url }] of eachPart(context, 'input_image')) {
      if (isSet(file_id) || isSet(image_url)) continue;
      const words = `Missing mutually exclusive parameters: '${param}'. Ensure you are providing exactly one of: 'file_id' or 'image_url'.`;
      yield finding(words, param, 'missing_mutually_exclusive_parameters');
    }
  },
};

const expected =
  "a base64-encoded data URL with a valid file MIME type (e.g. 'data:text/plain;base64,SGVsbG8sIFdvcmxkIQ==')";
const help =
  'Please see https://platform.openai.com/docs/assistants/tools/file-search#supported-files for supported file types.';

export const fileMime: ResponsesRule = {
  id: 'file-mime',
  *check(context) {
    for (const [at, { file_data }] of eachPart(context, 'input_file')) {
      if (typeof file_data !== 'string') continue;
      const param = `${at}.file_data`;
      const mime = /^data:([^;,]*)/.exec(file_data)?.[1];
      const got = mime === undefined ? "a value without the 'data:' prefix" : `unsupported MIME type '${mime}'`;
      const words = `Invalid file data: '${param}'. Expected ${expected}, but got ${got}. ${help}`;
      const found = finding(words, param, 'invalid_value');
      if (mime === undefined) yield unsure(found);
      // Recorded for audio; inferred for the other types that are not documents.
      else if (/^(audio|video)\//.test(mime)) yield found;
      else if (mime.startsWith('image/')) yield unsure(found);
    }
  },
};

/** The API is known to refuse other prefixes for these types. */
const prefixes: Readonly<Record<string, string>> = {
  message: 'msg',
  function_call: 'fc',
  reasoning: 'rs',
  custom_tool_call: 'ctc',
};

/** The prefixes that the API issues for other types (recorded); it is not known whether it refuses others. */
const issuedPrefixes: Readonly<Record<string, string>> = {
  web_search_call: 'ws',
  file_search_call: 'fs',
  code_interpreter_call: 'ci',
  image_generation_call: 'ig',
  mcp_call: 'mcp',
  mcp_list_tools: 'mcpl',
  mcp_approval_request: 'mcpr',
  tool_search_call: 'tsc',
  tool_search_output: 'tso',
  compaction: 'cmp',
};

export const idPrefix: ResponsesRule = {
  id: 'id-prefix',
  *check({ items }) {
    for (const { at, type = '', id } of items) {
      const prefix = prefixes[type] ?? issuedPrefixes[type];
      if (id === undefined || prefix === undefined || id.startsWith(prefix)) continue;
      const words = `Invalid '${at}.id': '${id}'. Expected an ID that begins with '${prefix}'.`;
      const found = finding(words, `${at}.id`, 'invalid_value');
      yield type in prefixes ? found : unsure(found);
    }
  },
};

const isWrittenByClient = ({ type = '', fields }: Item): boolean =>
  type === 'message' ? fields.role !== 'assistant' : type === 'additional_tools' || type.endsWith('_output');

/**
 * The error message allows dashes. The API refused them in what a model wrote (CopilotKit#6117); Codex gives what it writes
 * itself an id with dashes.
 */
export const idChars: ResponsesRule = {
  id: 'id-chars',
  *check({ items }) {
    for (const item of items) {
      const { at, id } = item;
      const allowed = isWrittenByClient(item) ? /^[\w-]*$/ : /^\w*$/;
      if (id === undefined || allowed.test(id)) continue;
      const words = `Invalid '${at}.id': '${id}'. Expected an ID that contains letters, numbers, underscores, or dashes, but this value contained additional characters.`;
      yield finding(words, `${at}.id`, 'invalid_value');
    }
  },
};

export const idLong: ResponsesRule = {
  id: 'id-long',
  *check({ items }) {
    for (const { at, id } of items) yield* tooLong(`${at}.id`, id, 64);
  },
};

export const idDup: ResponsesRule = {
  id: 'id-dup',
  *check({ items }) {
    const seen = new Set<string>();
    for (const { id } of items) {
      if (id === undefined) continue;
      const words = `Duplicate item found with id ${id}. Remove duplicate items from your input and try again.`;
      if (seen.has(id)) yield finding(words, 'input');
      seen.add(id);
    }
  },
};

const callFields: Readonly<Record<string, string>> = {
  function_call: 'arguments',
  mcp_call: 'arguments',
  mcp_approval_request: 'arguments',
  custom_tool_call: 'input',
};

/** The text need not be JSON, and serialised again it is accepted, too. */
export const argumentsType: ResponsesRule = {
  id: 'arguments-type',
  *check({ items }) {
    for (const { at, type, fields } of items) {
      const field = callFields[type ?? ''];
      if (field === undefined || !isSet(fields[field]) || typeof fields[field] === 'string') continue;
      yield wrongType(`${at}.${field}`, 'a string', fields[field]);
    }
  },
};

export const outputType: ResponsesRule = {
  id: 'output-type',
  *check({ items }) {
    for (const { at, type, fields } of items) {
      if (type !== 'function_call_output' && type !== 'custom_tool_call_output') continue;
      const { output } = fields;
      if (!isSet(output) || typeof output === 'string' || Array.isArray(output)) continue;
      yield wrongType(`${at}.output`, 'one of an array of objects or string', output);
    }
  },
};

export const callName: ResponsesRule = {
  id: 'call-name',
  *check({ items, body }) {
    const pattern = /^[a-zA-Z0-9_-]+$/;
    for (const { at, type, fields } of items) {
      if (type === 'function_call' || type === 'custom_tool_call') yield* mismatch(`${at}.name`, fields.name, pattern);
    }
    for (const [index, { name }] of eachObject(body.tools)) yield* mismatch(`tools[${index}].name`, name, pattern);
  },
};

/** The nested form of Chat Completions: this API looks for the name one level higher. */
export const toolNested: ResponsesRule = {
  id: 'tool-nested',
  *check({ body }) {
    for (const [index, tool] of eachObject(body.tools)) {
      const nested = isSet(tool.function) || isSet(tool.custom);
      if (nested && !isSet(tool.name)) yield missingParameter(`tools[${index}].name`);
    }
  },
};

export const callIdLong: ResponsesRule = {
  id: 'call-id-long',
  *check({ items }) {
    for (const { at, callId } of items) yield* tooLong(`${at}.call_id`, callId, 64);
  },
};

/** Calls that the client runs, with the names the API gives them in its messages. */
const clientCalls: Readonly<Record<string, string>> = {
  function_call: 'function call',
  custom_tool_call: 'custom tool call',
  computer_call: 'computer call',
  local_shell_call: 'local shell call',
  shell_call: 'shell call',
  apply_patch_call: 'apply patch call',
};

const isOutput = (type: string | undefined): boolean => type?.endsWith('_call_output') ?? false;

/** The ids of the answered calls; the local shell has its call id in `id`. */
const answered = ({ items }: ResponsesContext): ReadonlySet<string | undefined> =>
  new Set(items.filter(({ type }) => isOutput(type)).map(({ callId, id }) => callId ?? id));

const openCalls = ({ memory, chain }: ResponsesContext): readonly string[] | undefined =>
  chain === undefined ? [] : memory?.openCalls?.(chain);

export const callUnanswered: ResponsesRule = {
  id: 'call-unanswered',
  *check(context) {
    const outputs = answered(context);
    const words = (name: string, id: string) => `No tool output found for ${name} ${id}.`;
    for (const { type = '', callId, fields } of context.items) {
      const name = clientCalls[type];
      // The output of an asynchronous call may come later.
      if (name === undefined || callId === undefined || outputs.has(callId) || fields.async === true) continue;
      yield finding(words(name, callId), 'input');
    }
    const later = new Set(context.chain === undefined ? [] : context.memory?.asyncCalls?.(context.chain));
    for (const id of openCalls(context) ?? [])
      if (!outputs.has(id) && !later.has(id)) yield finding(words('function call', id), 'input');
  },
};

export const outputOrphan: ResponsesRule = {
  id: 'output-orphan',
  *check(context) {
    const open = openCalls(context);
    // The calls of a continued response or a referenced item are unknown here.
    if (open === undefined) return;
    const calls = new Set<string | undefined>(open);
    for (const { type = '', id, callId } of context.items) {
      if (type === 'item_reference') return;
      // A client's tool search may be answered like a function (recorded).
      if (type in clientCalls || type === 'tool_search_call') calls.add(callId ?? id);
      if (!isOutput(type) || calls.has(callId ?? id)) continue;
      const name = clientCalls[type.replace(/_output$/, '')] ?? 'function call';
      yield finding(`No tool call found for ${name} output with call_id ${callId ?? id}.`, 'input');
    }
  },
};

const notFound = (id: string): Finding => ({
  message: `Item with id '${id}' not found. Items are not persisted when \`store\` is set to false. Try again with \`store\` set to true, or remove this item from your input.`,
  param: 'input',
  code: null,
  status: 404,
});

/** A reasoning item without ciphertext is a reference to a stored one. */
export const reasoningNotPersisted: ResponsesRule = {
  id: 'reasoning-not-persisted',
  *check({ items, body, memory }) {
    for (const { type, id, fields } of items) {
      if (type !== 'reasoning' || id === undefined || isSet(fields.encrypted_content)) continue;
      if (body.store === false || memory?.stored(id) === false) yield notFound(id);
    }
  },
};

export const referenceNotFound: ResponsesRule = {
  id: 'reference-not-found',
  *check({ items, memory }) {
    for (const { type, id } of items) {
      if (type === 'item_reference' && id !== undefined && memory?.stored(id) === false) yield notFound(id);
    }
  },
};

export const encryptedContent: ResponsesRule = {
  id: 'encrypted-content',
  *check({ items, memory }) {
    if (memory === undefined) return;
    for (const { id, fields } of items) {
      const secret = asText(fields.encrypted_content);
      if (secret === undefined || memory.issued(secret) !== undefined) continue;
      const words = `The encrypted content for item ${id} could not be verified. Reason: Encrypted content could not be decrypted or parsed.`;
      yield finding(words, null, 'invalid_encrypted_content');
    }
  },
};

/** The item after a reasoning item is identified by its id: without an id, or with another one, the pair is broken. */
export const reasoningFollowing: ResponsesRule = {
  id: 'reasoning-following',
  *check({ items, memory }) {
    for (const [index, { type, id }] of items.entries()) {
      // Without an id, the API cannot know what followed it.
      if (type !== 'reasoning' || id === undefined) continue;
      const next = items[index + 1]?.id;
      const original = memory?.following?.(id);
      if (next !== undefined && (original === undefined || original === next)) continue;
      const words = `Item '${id}' of type 'reasoning' was provided without its required following item.`;
      yield finding(words, 'input');
    }
  },
};

/** With `store: false` it is not known whether the API notices. */
export const missingReasoning: ResponsesRule = {
  id: 'missing-reasoning',
  *check({ items, body, chain, memory }) {
    if (chain !== undefined) return;
    const present = new Set(items.map(({ id }) => id));
    for (const { type, id } of items) {
      const reasoning = id === undefined ? undefined : memory?.reasoningOf?.(id);
      if (type === 'item_reference' || reasoning === undefined || present.has(reasoning)) continue;
      const words = `Item '${id}' of type '${type}' was provided without its required 'reasoning' item: '${reasoning}'.`;
      const found = finding(words, 'input');
      yield body.store === false ? unsure(found) : found;
    }
  },
};
