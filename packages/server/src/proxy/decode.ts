import type { Transform } from 'node:stream';
import * as zlib from 'node:zlib';
import { SkeinError } from '@skein/core';

/** Newer than the oldest Node that is supported. */
const { createZstdDecompress, zstdDecompressSync } = zlib as {
  createZstdDecompress?: () => Transform;
  zstdDecompressSync?: (bytes: Uint8Array, options: { maxOutputLength: number }) => Buffer;
};

/** A part of a stream is decoded when it is there, not when the whole is. */
const AT_ONCE = { flush: zlib.constants.Z_SYNC_FLUSH, finishFlush: zlib.constants.Z_SYNC_FLUSH };
const BROTLI_AT_ONCE = { flush: zlib.constants.BROTLI_OPERATION_FLUSH };

const STREAMS: Readonly<Record<string, (() => Transform) | undefined>> = {
  gzip: () => zlib.createGunzip(AT_ONCE),
  'x-gzip': () => zlib.createGunzip(AT_ONCE),
  deflate: () => zlib.createInflate(AT_ONCE),
  br: () => zlib.createBrotliDecompress(BROTLI_AT_ONCE),
  zstd: createZstdDecompress,
};

const WHOLE: Readonly<Record<string, ((bytes: Uint8Array, limit: number) => Buffer) | undefined>> = {
  gzip: (bytes, maxOutputLength) => zlib.gunzipSync(bytes, { maxOutputLength }),
  'x-gzip': (bytes, maxOutputLength) => zlib.gunzipSync(bytes, { maxOutputLength }),
  deflate: (bytes, maxOutputLength) => zlib.inflateSync(bytes, { maxOutputLength }),
  br: (bytes, maxOutputLength) => zlib.brotliDecompressSync(bytes, { maxOutputLength }),
  zstd: zstdDecompressSync && ((bytes, maxOutputLength) => zstdDecompressSync(bytes, { maxOutputLength })),
};

/** A body has an encoding that this version of Node cannot read, or is not what its encoding says. */
export class UndecodableError extends SkeinError {
  override readonly name = 'UndecodableError';
  readonly code = 'undecodable';
}

/** What a body is wrapped in, the outermost last. */
function readEncodings(header: string | undefined): string[] {
  const names = (header ?? '').toLowerCase().split(/\s*,\s*/);
  return names.map((name) => name.trim()).filter((name) => name !== '' && name !== 'identity');
}

/** Takes encoded bytes, gives plain ones; undefined when they are plain already. */
export interface Decoder {
  push(bytes: Uint8Array): void;
  /** `done` comes behind the last plain bytes, or behind an error. */
  end(done: () => void): void;
}

export function createDecoder(
  header: string | undefined,
  onBytes: (bytes: Uint8Array) => void,
  onError: (error: Error) => void,
): Decoder | undefined {
  const encodings = readEncodings(header);
  if (encodings.length === 0) return undefined;
  const steps = encodings.reverse().map((name) => {
    const make = STREAMS[name];
    if (!make) throw new UndecodableError(`There is no decoder for the encoding "${name.slice(0, 40)}"`);
    return make();
  });
  const fail = (error: Error) => {
    for (const step of steps) step.destroy();
    onError(new UndecodableError(error.message));
  };
  for (const [index, step] of steps.entries()) {
    step.on('error', fail);
    const next = steps[index + 1];
    if (next) step.pipe(next);
    else step.on('data', onBytes);
  }
  const [first] = steps;
  return {
    push: (bytes) => void first!.write(bytes),
    end(done) {
      steps.at(-1)!.once('close', done);
      first!.end();
    },
  };
}

/** A whole body. Throws an `UndecodableError`; one that would grow beyond `limit` is one, too. */
export function decodeWhole(header: string | undefined, bytes: Uint8Array, limit: number): Uint8Array {
  return readEncodings(header)
    .reverse()
    .reduce((encoded, name) => {
      const decode = WHOLE[name];
      if (!decode) throw new UndecodableError(`There is no decoder for the encoding "${name.slice(0, 40)}"`);
      try {
        return decode(encoded, limit);
      } catch (error) {
        throw new UndecodableError((error as Error).message);
      }
    }, bytes);
}
