/** Exchanges of chats and of stored responses, and stores in which they have their places. */
import { memoryStore, reproject, type Store } from '@skein/forest';
import { type Recorded, recordsOf } from './record-exchanges.ts';
import { newForest } from './record-kit.ts';

export const chatTurn = (id: string, start: number, messages: object[], answer: object, more = {}): Recorded => ({
  id,
  start,
  dialect: 'openai-chat',
  request: JSON.stringify({ model: 'm', messages }),
  response: JSON.stringify({ id: `chatcmpl-${id}`, model: 'm', choices: [{ index: 0, message: answer }], ...more }),
});
export const user = (content: string) => ({ role: 'user', content });
export const assistant = (content: string) => ({ role: 'assistant', content });
const item = (text: string) => ({ type: 'message', role: 'assistant', content: [{ type: 'output_text', text }] });
export const response = (id: string, status: string, text?: string) =>
  JSON.stringify({ id, object: 'response', status, model: 'm', output: text === undefined ? [] : [item(text)] });
export const responsesTurn = (id: string, start: number, request: object, body: string): Recorded => ({
  id,
  start,
  dialect: 'openai-responses',
  request: JSON.stringify({ model: 'm', ...request }),
  response: body,
});
export const poll = (id: string, start: number, responseId: string, body: string): Recorded => ({
  id,
  start,
  dialect: 'openai-responses',
  kind: 'poll',
  responseId,
  response: body,
});

export async function projected(recorded: readonly Recorded[]): Promise<Store> {
  const store = memoryStore();
  for (const one of recorded) await store.append(recordsOf(one));
  await reproject(newForest(store));
  return store;
}
