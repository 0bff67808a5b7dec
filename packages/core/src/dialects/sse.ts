import { createParser, type EventSourceMessage } from 'eventsource-parser';

/** Takes a stream of server-sent events apart, however its bytes are cut. */
export interface SseDecoder {
  push(chunk: Uint8Array | string): void;
  /** The stream is over: an event whose closing blank line never came is handed out as it is. */
  end(): void;
}

export function decodeSse(onEvent: (event: string | undefined, data: string) => void): SseDecoder {
  let ready: EventSourceMessage[] = [];
  const parser = createParser({ onEvent: (message) => ready.push(message) });
  const decoder = new TextDecoder();
  // Handed on when the chunk is read: what a reader does is then not compiled into the parser, and in it again and again.
  const feed = (text: string): void => {
    parser.feed(text);
    const events = ready;
    ready = [];
    for (const { event, data } of events) onEvent(event, data);
  };
  return {
    push(chunk) {
      feed(typeof chunk === 'string' ? chunk : decoder.decode(chunk, { stream: true }));
    },
    end() {
      feed(`${decoder.decode()}\n\n`);
    },
  };
}
