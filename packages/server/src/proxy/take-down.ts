import type { Recorder, Recording, RequestToRecord } from '@skein/forest';
import type { Redact } from '../redact.ts';
import { createDecoder, type Decoder, decodeWhole, UndecodableError } from './decode.ts';
import type { Watch } from './watch.ts';

/** Longer requests are recorded without their body. */
export const MAX_RECORDED_REQUEST = 64 * 1024 * 1024;
/** Answers that must be redacted before they are stored are held whole; longer ones are given up. */
const MAX_HELD = 16 * 1024 * 1024;

export interface TakeDownOptions {
  readonly recorder: Recorder;
  readonly request: Omit<RequestToRecord, 'body'> & { readonly headers: ReadonlyMap<string, string> };
  /** Set when nothing may be stored before it was redacted. */
  readonly redact: Redact | undefined;
  readonly onUndecodable: () => void;
  readonly onError: (error: unknown) => void;
  /** When the recorder has all of it; it may not be stored yet. */
  readonly onEnd: () => void;
}

/**
 * Hands an exchange to the recorder while it passes, decoded. Nothing in here throws: whoever moves the bytes must
 * not notice.
 */
export function takeDown({ recorder, request, redact, onUndecodable, onError, onEnd }: TakeDownOptions): Watch {
  let body: Uint8Array[] | undefined = [];
  let size = 0;
  let recording: Recording | undefined;
  let decoder: Decoder | undefined;
  let undecodable: Error | undefined;
  let isCut = false;
  let held: Uint8Array[] | undefined = redact && [];
  let heldSize = 0;

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
      ...(bytes && { body: redact ? redact(Buffer.from(bytes).toString()) : bytes }),
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
      if (held && redact && !isLost) recording?.push(Buffer.from(redact(Buffer.concat(held).toString())));
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
        // What is cut off in the middle of its encoding was readable up to there.
        isCut = outcome !== 'done';
        decoder.end(() => finish(outcome, error));
      }),
  };
}
