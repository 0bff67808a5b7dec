import { finding } from '../openai/finding.ts';
import { isSet, text } from '../openai/values.ts';
import type { ResponsesRule } from './context.ts';

export const prevAndConversation: ResponsesRule = {
  id: 'prev-and-conversation',
  *check({ body }) {
    if (!isSet(body.previous_response_id) || !isSet(body.conversation)) return;
    const words =
      "Mutually exclusive parameters: 'previous_response_id' and 'conversation'. Ensure you are only providing one of: 'previous_response_id' or 'conversation'.";
    yield finding(words, 'previous_response_id', 'mutually_exclusive_parameters');
  },
};

export const previousNotFound: ResponsesRule = {
  id: 'previous-not-found',
  *check({ body, memory }) {
    const id = text(body.previous_response_id);
    if (id === undefined || memory?.stored(id) !== false) return;
    const words = `Previous response with id '${id}' not found.`;
    yield finding(words, 'previous_response_id', 'previous_response_not_found');
  },
};

export const temperature: ResponsesRule = {
  id: 'temperature',
  *check({ body, model }) {
    const value = body.temperature;
    if (typeof value !== 'number') return;
    const outside = (side: string, sign: string, limit: number) =>
      `Invalid 'temperature': decimal ${side} value. Expected a value ${sign} ${limit}, but got ${value} instead.`;
    if (value < 0) yield finding(outside('below minimum', '>=', 0), 'temperature', 'decimal_below_min_value');
    if (value > 2) yield finding(outside('above maximum', '<=', 2), 'temperature', 'decimal_above_max_value');
    // Later models take it with effort `none`; these never do.
    if (!/^(o\d|gpt-5(-mini|-nano)?(-\d{4}-.*)?$)/.test(model)) return;
    yield finding("Unsupported parameter: 'temperature' is not supported with this model.", 'temperature');
  },
};
