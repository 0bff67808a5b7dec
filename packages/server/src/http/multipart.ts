import { Problem } from './problem.ts';

/** A file of a multipart/form-data body. Its content has to be read before the next part. */
export interface FilePart {
  readonly filename: string;
  readonly content: AsyncIterable<Uint8Array>;
}

/** Bytes of the headers of one part. */
const MAX_HEAD = 16 * 1024;
const END_OF_HEAD = Buffer.from('\r\n\r\n');

/** The files of a body, one after the other as they come; nothing is kept. Parts that are no files are passed over. */
export async function* readFileParts(
  contentType: string | undefined,
  body: AsyncIterable<Uint8Array>,
): AsyncGenerator<FilePart> {
  const boundary = /^multipart\/form-data\s*;.*?boundary=(?:"([^"]{1,70})"|([^\s;"]{1,70}))/i.exec(contentType ?? '');
  if (!boundary) throw broken('send the files as multipart/form-data');
  const delimiter = Buffer.from(`\r\n--${boundary[1] ?? boundary[2]}`);
  const reader = new Reader(body);
  for await (const _preamble of reader.until(delimiter));
  for (;;) {
    const head = await reader.head();
    if (head === undefined) return;
    const content = reader.until(delimiter);
    const filename = filenameIn(head);
    if (filename !== undefined) yield { filename, content };
    for await (const _unread of content);
  }
}

/** Looks for what ends a part, across the chunks it comes in. */
class Reader {
  readonly #chunks: AsyncIterator<Uint8Array>;
  // The first delimiter may stand at the very beginning, without the line break before it.
  #buffer: Buffer = Buffer.from('\r\n');

  constructor(body: AsyncIterable<Uint8Array>) {
    this.#chunks = body[Symbol.asyncIterator]();
  }

  async #more(): Promise<void> {
    const { done, value } = await this.#chunks.next();
    if (done) throw broken('it ends in the middle of a part');
    this.#buffer = Buffer.concat([this.#buffer, value]);
  }

  /** Everything up to a mark, which is passed over. */
  async *until(mark: Buffer): AsyncGenerator<Uint8Array> {
    for (;;) {
      const at = this.#buffer.indexOf(mark);
      // The mark may have begun at the end of what is there.
      const safe = at < 0 ? Math.max(0, this.#buffer.length - mark.length + 1) : at;
      const piece = this.#buffer.subarray(0, safe);
      this.#buffer = this.#buffer.subarray(at < 0 ? safe : at + mark.length);
      if (piece.length > 0) yield piece;
      if (at >= 0) return;
      await this.#more();
    }
  }

  /** The headers of the next part; undefined behind the last one. */
  async head(): Promise<string | undefined> {
    while (this.#buffer.length < 2) await this.#more();
    if (this.#buffer.subarray(0, 2).toString() === '--') return undefined;
    let end = this.#buffer.indexOf(END_OF_HEAD);
    for (; end < 0; end = this.#buffer.indexOf(END_OF_HEAD)) {
      if (this.#buffer.length > MAX_HEAD) throw broken('the headers of a part are too long');
      await this.#more();
    }
    const head = this.#buffer.subarray(0, end).toString();
    this.#buffer = this.#buffer.subarray(end + END_OF_HEAD.length);
    return head;
  }
}

/** As browsers write it: in UTF-8, with quotes and line breaks as %22, %0D and %0A. */
function filenameIn(head: string): string | undefined {
  const found = /^content-disposition:.*;\s*filename="([^"]*)"/im.exec(head)?.[1];
  return found?.replace(/%(22|0D|0A)/gi, (text) => decodeURIComponent(text));
}

function broken(why: string): Problem {
  return new Problem(400, 'bad_request', `The body cannot be read: ${why}.`);
}
