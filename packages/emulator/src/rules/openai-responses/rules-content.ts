import { finding, unsupportedValue, unsure } from '../openai/finding.ts';
import { isOwnType } from '../openai/known-fields.ts';
import { eachFields, type Fields, isSet } from '../openai/values.ts';
import type { ResponsesContext, ResponsesRule } from './context.ts';
import { inputParts, outputParts } from './item-schema.ts';

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

/** The assistant speaks in output parts, everyone else (and every function) in input parts. */
export const contentType: ResponsesRule = {
  id: 'content-type',
  *check({ items, request }) {
    for (const { at, type, fields } of items) {
      const supported = type === 'message' && fields.role === 'assistant' ? outputTypes : inputTypes;
      const lists =
        type === 'message' ? ['content'] : type?.match(/^(function|custom_tool)_call_output$/) ? ['output'] : [];
      for (const list of lists) {
        for (const [part, { type: partType }] of eachFields(fields[list])) {
          if (supported.includes(String(partType)) || isOwnType(request, partType)) continue;
          yield unsupportedValue(`${at}.${list}[${part}]`, partType, supported);
        }
      }
    }
  },
};

/** The parts of one type, in messages and in outputs. */
function* partsOf({ items }: ResponsesContext, type: string): Iterable<readonly [string, Fields]> {
  for (const { at, fields } of items) {
    for (const list of ['content', 'output']) {
      for (const [index, part] of eachFields(fields[list])) {
        if (part.type === type) yield [`${at}.${list}[${index}]`, part];
      }
    }
  }
}

/** openai-agents-python#1930 */
export const imageSource: ResponsesRule = {
  id: 'image-source',
  *check(context) {
    for (const [param, { file_id, image_url }] of partsOf(context, 'input_image')) {
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
    for (const [at, { file_data }] of partsOf(context, 'input_file')) {
      if (typeof file_data !== 'string') continue;
      const param = `${at}.file_data`;
      const mime = /^data:([^;,]*)/.exec(file_data)?.[1];
      const got = mime === undefined ? "a value without the 'data:' prefix" : `unsupported MIME type '${mime}'`;
      const words = `Invalid file data: '${param}'. Expected ${expected}, but got ${got}. ${help}`;
      const found = finding(words, param, 'invalid_value');
      if (mime === undefined) yield unsure(found);
      // Recorded for audio; the other kinds that are no documents follow by inference.
      else if (/^(audio|video)\//.test(mime)) yield found;
      else if (mime.startsWith('image/')) yield unsure(found);
    }
  },
};
