import type { Writable } from 'node:stream';
import * as ws from 'ws';

/** The parts of `ws` that its types leave out: reading frames without a connection of one's own. */
interface FrameReading {
  readonly Receiver: new (options: {
    readonly isServer: boolean;
    readonly maxPayload: number;
    readonly extensions: Readonly<Record<string, unknown>>;
  }) => Writable;
  readonly PerMessageDeflate: {
    readonly extensionName: string;
    new (options: {
      readonly isServer?: boolean;
      readonly maxPayload: number;
    }): { params: unknown; accept(offers: unknown): unknown };
  };
  readonly extension: { parse(header: string): Readonly<Record<string, unknown>> };
}

const { Receiver, PerMessageDeflate, extension } = ws as unknown as FrameReading;

/** The longest message that is read; longer ones pass, but end the reading. */
const MAX_MESSAGE = 64 * 1024 * 1024;

/** Reads the text messages of one direction of a WebSocket from its bytes, without touching them. */
export interface MessageReader {
  push(bytes: Uint8Array): void;
  /** Calls back when everything that was pushed has been read. */
  end(done: () => void): void;
}

interface MessageReaderOptions {
  /** Whether the bytes come from the client, whose frames are masked. */
  readonly isFromClient: boolean;
  /** The header in which the server accepted extensions. */
  readonly extensions: string | undefined;
  readonly onMessage: (text: string) => void;
  /** The bytes cannot be read; nothing more is read from then on. */
  readonly onError: (error: Error) => void;
}

/** Undoes framing, fragmentation and compression. */
export function createMessageReader({
  isFromClient,
  extensions,
  onMessage,
  onError,
}: MessageReaderOptions): MessageReader {
  const receiver = new Receiver({
    isServer: isFromClient,
    maxPayload: MAX_MESSAGE,
    extensions: readExtensions(extensions, isFromClient),
  });
  receiver.on('message', (data: Buffer, isBinary: boolean) => {
    if (!isBinary) onMessage(data.toString('utf8'));
  });
  let isBroken = false;
  receiver.on('error', (error: Error) => {
    isBroken = true;
    onError(error);
  });
  return {
    push(bytes) {
      // The receiver unmasks in place, and the bytes are forwarded, too.
      if (!isBroken) receiver.write(Buffer.from(bytes));
    },
    end(done) {
      if (isBroken || receiver.destroyed) done();
      else receiver.end(done);
    },
  };
}

function readExtensions(header: string | undefined, isServer: boolean): Record<string, unknown> {
  const name = PerMessageDeflate.extensionName;
  const accepted = header === undefined ? undefined : extension.parse(header)[name];
  if (!accepted) return {};
  // What the server accepted holds for both directions.
  const client = new PerMessageDeflate({ maxPayload: MAX_MESSAGE });
  const own = new PerMessageDeflate({ isServer, maxPayload: MAX_MESSAGE });
  own.params = client.accept(accepted);
  return { [name]: own };
}
