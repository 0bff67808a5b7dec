/** Where text can be written to: a stream of the web, or one of Node. */
export type Sink = WebSink | NodeSink;

interface WebSink {
  getWriter(): {
    write(chunk: Uint8Array): Promise<void>;
    releaseLock(): void;
  };
}

interface NodeSink {
  write(chunk: Uint8Array, done: (error?: Error | null) => void): unknown;
}

/** What can be read as text: a stream of the web, one of Node, or anything that gives pieces. */
export type Source = AsyncIterable<Uint8Array | string>;

/** Writes a text, and waits until it was taken. The stream stays open: it is its owner's. */
export async function writeTo(sink: Sink, text: string): Promise<void> {
  const bytes = new TextEncoder().encode(text);
  if (!('getWriter' in sink))
    return new Promise((resolve, reject) => {
      sink.write(bytes, (error) => (error ? reject(error) : resolve()));
    });
  const writer = sink.getWriter();
  try {
    await writer.write(bytes);
  } finally {
    writer.releaseLock();
  }
}

export async function readFrom(source: Source): Promise<string> {
  // A message with replaced characters would no longer be what the provider sent.
  const decoder = new TextDecoder('utf-8', { fatal: true });
  let text = '';
  for await (const piece of source) text += typeof piece === 'string' ? piece : decoder.decode(piece, { stream: true });
  return text + decoder.decode();
}
