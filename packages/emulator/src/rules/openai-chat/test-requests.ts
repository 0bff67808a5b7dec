/** The smallest parts of chat requests, for the tests. */
export const user = { role: 'user', content: 'Hi' };
export const call = (fields: object = {}) => ({
  id: 'call_1',
  type: 'function',
  function: { name: 'f', arguments: '{}', ...fields },
});
export const asks = (...tool_calls: object[]) => ({ role: 'assistant', content: null, tool_calls });
export const answer = (tool_call_id = 'call_1') => ({ role: 'tool', tool_call_id, content: 'ok' });
export const chat = (messages: unknown, more: object = {}) => ({ model: 'gpt-4o', messages, ...more });
export const tools = (name = 'f') => [{ type: 'function', function: { name, parameters: {} } }];
export const audio = { type: 'input_audio', input_audio: { data: 'AA==', format: 'mp3' } };
export const image = { type: 'image_url', image_url: { url: 'https://x.test/a.png' } };
