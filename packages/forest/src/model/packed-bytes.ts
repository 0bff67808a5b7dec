/** Bytes as they are kept in a record: as text where they are UTF-8, else in base64. */
export type PackedBytes = { readonly text: string } | { readonly base64: string };

export function packBytes(bytes: Uint8Array): PackedBytes {
  try {
    // A byte order mark is part of the bytes.
    return { text: new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes) };
  } catch {
    return { base64: Buffer.from(bytes).toString('base64') };
  }
}

/** What the bytes are as text, where they were kept as text: the same as decoding them, which they need not become first. */
export function packedText(value: unknown): string | undefined {
  const { text } = (value ?? {}) as { text?: unknown };
  return typeof text === 'string' ? text.toWellFormed() : undefined;
}

/** The same bytes again; undefined when the value is not packed bytes. */
export function unpackBytes(value: unknown): Uint8Array | undefined {
  const { text, base64 } = (value ?? {}) as { text?: unknown; base64?: unknown };
  if (typeof text === 'string') return new TextEncoder().encode(text);
  return typeof base64 === 'string' ? new Uint8Array(Buffer.from(base64, 'base64')) : undefined;
}
