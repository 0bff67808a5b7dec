import { isUtf8 } from 'node:buffer';
import type { Framing } from '@skein/core/dialect';
import type { Recorder, Recording, RequestToRecord } from '@skein/forest';
import type { Redactor } from '../redact.ts';
import { createDecoder, type Decoder, decodeWhole, UndecodableError } from './decode.ts';

/** Sees an exchange while the proxy forwards it. No method throws or waits. */
export interface ExchangeTap {
  request(bytes: Uint8Array): void;
  requestEnd(): void;
  head(status: number, headers: ReadonlyMap<string, string>): void;
  push(bytes: Uint8Array): void;
  end(outcome: 'done' | 'cut' | 'failed', error?: unknown): void;
}

/** For exchanges that are not recorded. */
export const noTap: ExchangeTap = {
  request: () => undefined,
  requestEnd: () => undefined,
  head: () => undefined,
  push: () => undefined,
  end: () => undefined,
};

/** Longer requests are recorded without their body. */
export const MAX_RECORDED_REQUEST = 64 * 1024 * 1024;
/** Responses that must be redacted before they are stored are held in memory; longer ones are not recorded. */
const MAX_HELD = 16 * 1024 * 1024;

export interface RecordingTapOptions {
  readonly recorder: Recorder;
  readonly request: Omit<RequestToRecord, 'body'> & { readonly headers: ReadonlyMap<string, string> };
  /** Set if everything must be redacted before it is stored. */
  readonly redact: Redactor | undefined;
  /** How streamed responses of this provider are cut, if they are no text. */
  readonly framing?: Framing | undefined;
  readonly onUndecodable: () => void;
  readonly onError: (error: unknown) => void;
  /** Called when the recorder has the whole exchange; it may not be stored yet. */
  readonly onEnd: () => void;
}

/**
 * Decodes an exchange and hands it to the recorder while the proxy forwards it. It never throws: a failure to record
 * must not disturb the exchange.
 */
export function createRecordingTap({
  recorder,
  request,
  redact,
  framing,
  onUndecodable,
  onError,
  onEnd,
}: RecordingTapOptions): ExchangeTap {
  let body: Uint8Array[] | undefined = [];
  let size = 0;
  let recording: Recording | undefined;
  let decoder: Decoder | undefined;
  let undecodable: Error | undefined;
  let isCut = false;
  let held: Uint8Array[] | undefined = redact && [];
  let heldSize = 0;
  /** Whether the response is a stream of binary frames. */
  let isFramed = false;

  const safely = (work: () => void) => {
    try {
      work();
    } catch (error) {
      onError(error);
    }
  };

  const begin = () => {
    if (recording) return;
    const bytes = body && size > 0 ? requestBytes(body) : undefined;
    body = undefined;
    recording = recorder.begin({
      ...request,
      ...(redact && { tags: redact(request.tags ?? []) }),
      ...(bytes && { body: redact ? redactBody(bytes, redact) : bytes }),
      ...(bytes && redact && { hintBody: bytes }),
    });
  };

  const requestBytes = (pieces: readonly Uint8Array[]): Uint8Array | undefined => {
    try {
      return decodeWhole(request.headers.get('content-encoding'), Buffer.concat(pieces), MAX_RECORDED_REQUEST);
    } catch {
      onUndecodable();
      return undefined;
    }
  };

  const plain = (bytes: Uint8Array) => {
    try {
      if (!held) return recording?.push(bytes);
      heldSize += bytes.length;
      if (heldSize <= MAX_HELD) held.push(bytes);
    } catch (error) {
      onError(error);
    }
  };

  const giveUp = (error: Error) => {
    if (undecodable || isCut) return;
    undecodable = error;
    decoder = undefined;
    onUndecodable();
  };

  const finish = (outcome: 'done' | 'cut' | 'failed', error: unknown) => {
    safely(() => {
      const isLost = heldSize > MAX_HELD;
      if (held && redact && !isLost)
        recording?.push(redactBody(Buffer.concat(held), redact, isFramed ? framing : undefined));
      held = undefined;
      if (undecodable) recording?.end('cut', undecodable);
      else if (isLost) recording?.end('cut', new Error('the answer was too long to be redacted before storing'));
      else recording?.end(outcome, error);
    });
    onEnd();
  };

  return {
    request(bytes) {
      size += bytes.length;
      if (size > MAX_RECORDED_REQUEST) body = undefined;
      body?.push(bytes);
    },
    requestEnd: () => safely(begin),
    head: (status, headers) =>
      safely(() => {
        begin();
        recording?.head(status, headers);
        const type = headers.get('content-type')?.toLowerCase() ?? '';
        isFramed = framing?.contentTypes.some((one) => type.startsWith(one)) === true;
        try {
          decoder = createDecoder(headers.get('content-encoding'), plain, giveUp);
        } catch (error) {
          giveUp(error instanceof Error ? error : new UndecodableError(String(error)));
        }
      }),
    push(bytes) {
      if (undecodable) return;
      if (decoder) decoder.push(bytes);
      else plain(bytes);
    },
    end: (outcome, error) =>
      safely(() => {
        begin();
        if (!decoder) return finish(outcome, error);
        // An encoded body that was cut off is readable up to that point.
        isCut = outcome !== 'done';
        decoder.end(() => finish(outcome, error));
      }),
  };
}

/** Redacts a body. In one that is no text, all bytes that are not hidden stay as they are. */
function redactBody(bytes: Uint8Array, redact: Redactor, framing?: Framing): Uint8Array {
  if (framing?.rewrite) return framing.rewrite(bytes, redact);
  const encoding = isUtf8(bytes) ? 'utf8' : 'latin1';
  return Buffer.from(redact(Buffer.from(bytes).toString(encoding)), encoding);
}
