import { OutsideError, openBelow } from './safe-open.ts';

export interface ReadText {
  readonly text: string;
  /** The file goes on behind it. */
  readonly cut: boolean;
}

/** The beginning of a text file below a folder. */
export async function readText(folder: string, path: string, maxBytes: number): Promise<ReadText> {
  const { handle } = await openBelow(folder, path);
  try {
    const about = await handle.stat();
    if (!about.isFile()) throw new OutsideError(path, 'it is a folder, not a file');
    const buffer = Buffer.alloc(Math.min(about.size, maxBytes) + 1);
    let length = 0;
    while (length < buffer.length) {
      const { bytesRead } = await handle.read(buffer, length, buffer.length - length, length);
      if (bytesRead === 0) break;
      length += bytesRead;
    }
    const cut = length > maxBytes || (length === buffer.length && about.size > length);
    const bytes = buffer.subarray(0, Math.min(length, maxBytes));
    if (bytes.includes(0)) throw new Error(`${JSON.stringify(path)} is not a text file.`);
    // A character that was cut in two at the end is left out.
    return { text: new TextDecoder('utf-8').decode(bytes, { stream: cut }), cut };
  } finally {
    await handle.close();
  }
}
