import { isObject, type JsonObject } from '../../json/index.ts';
import type { ServedHistories } from '../serve.ts';
import { itemType } from './items.ts';

/** How many items a page has unless the client asks for another number, and how many it may ask for. */
const PAGE = 20;
const LONGEST_PAGE = 100;

/** The input of a request as a page of a list: the last item first, unless the client asks for another order. */
export const listInputItems: NonNullable<ServedHistories['inputItems']> = ({ input }, id, query) => {
  const given = Array.isArray(input) ? input.filter(isObject) : [{ role: 'user', content: input ?? '' }];
  const items = given.map((item, index) => toListed(item, `${id.replace(/^[a-z]+_/, '')}_${index}`));
  if (query.get('order') !== 'asc') items.reverse();
  const after = query.get('after');
  const start = after === null ? 0 : items.findIndex((item) => item.id === after) + 1;
  const limit = Number(query.get('limit') ?? PAGE);
  const length = Number.isInteger(limit) && limit > 0 ? Math.min(limit, LONGEST_PAGE) : PAGE;
  const data = items.slice(start, start + length);
  return {
    object: 'list',
    data,
    first_id: data[0]?.id ?? null,
    last_id: data.at(-1)?.id ?? null,
    has_more: start + length < items.length,
  };
};

/** An item as the API lists it: with a type and an id, and a message with a list of parts. */
function toListed(item: JsonObject, name: string): JsonObject {
  const type = itemType(item) ?? 'message';
  if (type !== 'message') return { id: `item_${name}`, ...item, type };
  const part = item.role === 'assistant' ? 'output_text' : 'input_text';
  const content = typeof item.content === 'string' ? [{ type: part, text: item.content }] : item.content;
  return { id: `msg_${name}`, status: 'completed', ...item, type, content };
}

/** An empty conversation. What it would begin with is refused: the first response can bring it. */
export const createConversation: NonNullable<ServedHistories['createConversation']> = (
  { items, metadata },
  { text, created },
) => {
  if (Array.isArray(items) && items.length > 0)
    return {
      refusal: {
        status: 400,
        word: 'unsupported_parameter',
        message:
          "Unsupported parameter: 'items'. Conversations begin empty here: send the items as input of the first response.",
        param: 'items',
      },
    };
  const id = `conv_${text}`;
  return { id, body: { id, object: 'conversation', created_at: created, metadata: metadata ?? {} } };
};
