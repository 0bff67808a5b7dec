import { sse } from '@skein/core';
import { ConversationError } from './conversation.ts';

/** The data of the server-sent events of a response, all that arrived together at a time. */
export async function* readEvents(response: Response): AsyncGenerator<readonly string[]> {
  let arrived: string[] = [];
  const decoder = sse.split((_event, data) => void arrived.push(data));
  const reader = response.body!.getReader();
  try {
    for (;;) {
      const { done, value } = await reader.read().catch(() => {
        throw new ConversationError('connection', 'The connection was lost.');
      });
      if (done) return;
      decoder.push(value);
      if (arrived.length > 0) yield arrived;
      arrived = [];
    }
  } finally {
    void reader.cancel().catch(() => undefined);
  }
}
