import { JsonTextError, parseJson } from '@skein/core';
import { CassetteError } from './cassette-error.ts';

/** One recorded exchange as it stands in a file, made to be read and reviewed. */
export interface CassetteFile {
  readonly cassette: 1;
  readonly request: {
    readonly method: string;
    readonly url: string;
    readonly headers: Readonly<Record<string, string>>;
  } & CassetteBody;
  readonly response: {
    /** Absent if there was no response. */
    readonly status?: number;
    readonly headers?: Readonly<Record<string, string>>;
    /** `done`, or how it ended. */
    readonly outcome: string;
    readonly error?: string;
  } & CassetteBody;
  readonly provider?: string;
  readonly tags?: readonly string[];
}

/**
 * A body: as a JSON value, where printing it again gives the same bytes; as the lines of a text, such as a stream; or in a file
 * beside this one, which has the exact bytes.
 */
export interface CassetteBody {
  readonly body?: unknown;
  readonly lines?: readonly string[];
  readonly file?: string;
}

const LONGEST_LINE = 2000;

/** Writes a body in its most readable form that keeps every byte. `name` is that of the file beside it, if one is needed. */
export function toCassetteBody(
  bytes: Uint8Array | undefined,
  name: string,
  beside: Map<string, Uint8Array>,
): CassetteBody {
  if (bytes === undefined || bytes.length === 0) return {};
  const text = Buffer.from(bytes).toString('utf8');
  const isText = Buffer.from(text).equals(Buffer.from(bytes));
  const value = isText ? readExactly(text) : undefined;
  if (value) return { body: value.value };
  const isLines = isText && !/^\s*[[{]/.test(text) && text.split('\n').every(({ length }) => length <= LONGEST_LINE);
  if (isLines) return { lines: text.split('\n') };
  beside.set(name, bytes);
  return { file: name };
}

/** The value of a JSON text that printing gives back exactly. */
function readExactly(text: string): { readonly value: unknown } | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return JSON.stringify(value) === text ? { value } : undefined;
  } catch {
    return undefined;
  }
}

/** The exact bytes of a body. `read` gives the file beside it. */
export function fromCassetteBody(
  { body, lines, file }: CassetteBody,
  read: (name: string) => Uint8Array,
): Uint8Array | undefined {
  if (file !== undefined) return read(file);
  if (lines) return Buffer.from(lines.join('\n'));
  return body === undefined ? undefined : Buffer.from(JSON.stringify(body));
}

export function printCassette(file: CassetteFile): string {
  return `${JSON.stringify(file, null, 2)}\n`;
}

/** Reads a cassette file. Throws a `CassetteError` that names the file and the line. */
export function parseCassette(text: string, path: string): CassetteFile {
  let value: unknown;
  try {
    value = parseJson(text);
  } catch (error) {
    if (!(error instanceof JsonTextError)) throw error;
    const line = text.slice(0, error.offset).split('\n').length;
    throw new CassetteError(
      'unreadable_cassette',
      `${path}:${line} is no JSON: ${error.message}. Record it again, or restore the file.`,
    );
  }
  const { cassette, request, response } = (value ?? {}) as Partial<CassetteFile>;
  const isReadable =
    cassette === 1 &&
    typeof request?.method === 'string' &&
    typeof request.url === 'string' &&
    URL.canParse(request.url) &&
    typeof response?.outcome === 'string';
  if (!isReadable)
    throw new CassetteError(
      'unreadable_cassette',
      `${path}:1 is no cassette of this version: it needs "cassette": 1, a request with "method" and "url", and a response with "outcome".`,
    );
  return value as CassetteFile;
}
