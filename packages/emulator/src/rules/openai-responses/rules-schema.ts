import { missingParameter, unsupportedValue, unsure, wrongType } from '../openai/finding.ts';
import { isOwnType, missingFields, unknownFields } from '../openai/known-fields.ts';
import { variantOf } from '../openai/shape.ts';
import { wrongToolTypes } from '../openai/tool-types.ts';
import { eachFields, isFields, isSet } from '../openai/values.ts';
import type { ResponsesRule } from './context.ts';
import { inputShape, itemShapes } from './item-schema.ts';
import { requestShape } from './request-schema.ts';
import { toolShapes } from './tool-schema.ts';

export const unknownParam: ResponsesRule = {
  id: 'unknown-param',
  check: (context) => unknownFields(context, requestShape),
};

export const unknownItemParam: ResponsesRule = {
  id: 'unknown-item-param',
  check: (context) => unknownFields(context, inputShape, 'input'),
};

export const required: ResponsesRule = {
  id: 'required',
  *check(context) {
    const { body, items, chain } = context;
    const hasPrompt = isSet(body.prompt);
    if (!isSet(body.model) && !hasPrompt) yield missingParameter('model');
    if (!isSet(body.input) && !hasPrompt && chain === undefined) yield missingParameter('input');
    yield* missingFields(context, requestShape);
    yield* missingFields(context, inputShape, 'input');
    for (const { at, type, id, fields } of items) {
      // Without its id a reasoning item is found by its ciphertext; with neither it is nothing.
      const found = missingParameter(`${at}.id`);
      if (type === 'reasoning' && id === undefined) yield isSet(fields.encrypted_content) ? unsure(found) : found;
    }
  },
};

export const invalidType: ResponsesRule = {
  id: 'invalid-type',
  *check({ body, items }) {
    if (isSet(body.model) && typeof body.model !== 'string') yield wrongType('model', 'a string', body.model);
    if (isSet(body.input) && typeof body.input !== 'string' && !Array.isArray(body.input)) {
      yield wrongType('input', 'one of a string or array of input items', body.input);
    }
    for (const [index, item] of Array.isArray(body.input) ? body.input.entries() : []) {
      if (!isFields(item)) yield wrongType(`input[${index}]`, 'an object', item);
    }
    for (const { at, fields } of items) {
      const { content, type } = fields;
      if (type !== 'reasoning' && isSet(content) && typeof content !== 'string' && !Array.isArray(content)) {
        yield wrongType(`${at}.content`, 'one of an array of objects or string', content);
      }
      for (const field of ['id', 'call_id']) {
        const value = fields[field];
        if (isSet(value) && typeof value !== 'string') yield wrongType(`${at}.${field}`, 'a string', value);
      }
      for (const [part, inner] of Array.isArray(content) ? content.entries() : []) {
        if (!isFields(inner)) yield wrongType(`${at}.content[${part}]`, 'an object', inner);
      }
      for (const [part, { text }] of eachFields(content)) {
        if (isSet(text) && typeof text !== 'string') yield wrongType(`${at}.content[${part}].text`, 'a string', text);
      }
    }
  },
};

export const itemTypes: ResponsesRule = {
  id: 'item-type',
  *check({ items, request }) {
    for (const { at, type, fields } of items) {
      if (variantOf(itemShapes, type) !== undefined || isOwnType(request, type)) continue;
      if (isSet(fields.type)) yield unsupportedValue(at, fields.type, Object.keys(itemShapes));
      else yield missingParameter(`${at}.type`);
    }
  },
};

export const toolTypes: ResponsesRule = {
  id: 'tool-type',
  check: (context) => wrongToolTypes(context, toolShapes),
};
