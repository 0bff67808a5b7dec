import { isText, parseJson } from '../../json/index.ts';
import type { Message } from '../../message/index.ts';
import { checkNames } from '../known-names.ts';
import type { WriteRequest } from '../request.ts';

const PARAMS = 'maxTokens temperature topP stop seed stream toolChoice parallelToolCalls reasoning modalities';

/** Input that could only become a body that no API takes: what is wrong, where, and what to do. */
export function checkRequest(request: WriteRequest, messages: readonly Message[]): void {
  if (!isText(request.model)) throw new TypeError('"model" must be the name of a model');
  // System messages alone are a question to some (`Chat`); a system text is no more than a setting.
  const hasSystem = typeof request.system === 'object' && [request.system].flat().length > 0;
  if (messages.length === 0 && !hasSystem)
    throw new TypeError('"messages" is empty; give at least one message, such as user(...)');
  messages.forEach((message, index) => {
    if (typeof message?.raw !== 'string' || message.facts === undefined)
      throw new TypeError(`messages[${index}] is not a message; use user(...), assistant(...) or MessageList.fromJSON`);
  });
  checkNames('parameter', request.params, PARAMS);
  for (const [name, value] of Object.entries(request.params ?? {}))
    if (typeof value === 'number' && !Number.isFinite(value)) throw new TypeError(`params.${name} is ${value}`);
  request.tools?.forEach((tool, index) => {
    const text = 'native' in tool ? tool.native : tool.parameters;
    if (typeof text === 'object' && text !== null) return;
    try {
      parseJson(text);
    } catch (cause) {
      const name = 'name' in tool ? ` (${tool.name})` : '';
      throw new TypeError(`tools[${index}]${name}: its JSON text cannot be read: ${(cause as Error).message}`, {
        cause,
      });
    }
  });
}
