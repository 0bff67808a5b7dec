import { mismatch, missingParameter, tooLong, wrongType } from '../openai/finding.ts';
import { eachFields, isSet } from '../openai/values.ts';
import type { ResponsesRule } from './context.ts';

const callFields: Readonly<Record<string, string>> = {
  function_call: 'arguments',
  mcp_call: 'arguments',
  mcp_approval_request: 'arguments',
  custom_tool_call: 'input',
};

/** The text need not be JSON, and re-serialised arguments pass. */
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
    for (const [index, { name }] of eachFields(body.tools)) yield* mismatch(`tools[${index}].name`, name, pattern);
  },
};

/** The nested form of Chat Completions: the API misses the name where this one has it. */
export const toolNested: ResponsesRule = {
  id: 'tool-nested',
  *check({ body }) {
    for (const [index, tool] of eachFields(body.tools)) {
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
