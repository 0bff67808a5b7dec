import { createParser } from 'eventsource-parser';

/** Takes a stream of server-sent events apart, however its bytes are cut. */
export interface SseDecoder {
  push(chunk: Uint8Array | string): void;
  /** The stream is over: an event whose closing blank line never came is handed out as it is. */
  end(): void;
}

export function decodeSse(onEvent: (event: string | undefined, data: string) => void): SseDecoder {
  const parser = createParser({ onEvent: ({ event, data }) => onEvent(event, data) });
  const decoder = new TextDecoder();
  return {
    push(chunk) {
      parser.feed(typeof chunk === 'string' ? chunk : decoder.decode(chunk, { stream: true }));
    },
    end() {
      parser.feed(`${decoder.decode()}\n\n`);
    },
  };
}
