import type { EventDecoder, Framing } from '../stream.ts';

/**
 * The binary event stream of AWS: `application/vnd.amazon.eventstream`. A frame is its length, the length of its headers, a
 * checksum of both, the headers, the payload, and a checksum of all that. Numbers are big endian.
 */
export const awsEventStream: Framing = {
  contentTypes: ['application/vnd.amazon.eventstream'],
  split: (onEvent) => decodeFrames(({ event, data }) => onEvent(event, data)),
  isBinary: true,
  rewrite: rewriteFrames,
};

/** A frame as an event: its type or that of the exception it reports, and its payload as text. */
interface FrameEvent {
  readonly event: string | undefined;
  readonly data: string;
}

/** The lengths and their checksum, and the checksum at the end. */
const PRELUDE = 12;
const TRAILER = 4;
/** The most that AWS allows a frame to have. */
const LONGEST = 24 * 1024 * 1024;

/** The event that stands for a frame whose checksums or lengths are wrong. Nothing behind it can be read. */
export const DAMAGED = 'damagedFrame';

/** Cuts a body into frames, however its bytes are cut. Text is taken as one character for each byte. */
export function decodeFrames(onFrame: (frame: FrameEvent) => void): EventDecoder {
  let rest: Uint8Array = new Uint8Array();
  let isDamaged = false;

  function damaged(problem: string): void {
    isDamaged = true;
    onFrame({ event: DAMAGED, data: JSON.stringify({ message: `A frame of the stream is damaged: ${problem}` }) });
  }

  function cut(bytes: Uint8Array): void {
    let at = 0;
    while (!isDamaged && bytes.length - at >= PRELUDE) {
      const view = new DataView(bytes.buffer, bytes.byteOffset + at);
      const length = view.getUint32(0);
      const headers = view.getUint32(4);
      const problem = findProblem(bytes.subarray(at), view);
      if (problem) {
        damaged(problem);
        return;
      }
      if (bytes.length - at < length) break;
      const end = length - TRAILER;
      onFrame(readFrame(bytes.subarray(at + PRELUDE, at + end), headers));
      at += length;
    }
    rest = bytes.slice(at);
  }

  return {
    push(chunk) {
      if (isDamaged) return;
      const bytes = typeof chunk === 'string' ? toBytes(chunk) : chunk;
      cut(rest.length > 0 ? concat([rest, bytes]) : bytes);
    },
    end() {
      // A frame without its end says nothing: its checksum is missing.
      rest = new Uint8Array();
    },
  };
}

/**
 * Changes the payloads of all frames, and the strings among their headers. What does not make a frame, such as the
 * beginning of one, is changed byte by byte.
 */
export function rewriteFrames(body: Uint8Array, change: (text: string) => string): Uint8Array {
  const changed: Uint8Array[] = [];
  let at = 0;
  while (body.length - at >= PRELUDE) {
    const frame = body.subarray(at);
    const view = new DataView(body.buffer, body.byteOffset + at);
    const length = view.getUint32(0);
    if (findProblem(frame, view) || frame.length < length) break;
    const end = PRELUDE + view.getUint32(4);
    const payload = encoder.encode(change(UTF8.decode(frame.subarray(end, length - TRAILER))));
    changed.push(joinFrame(rewriteHeaders(frame.subarray(PRELUDE, end), change), payload));
    at += length;
  }
  return concat([...changed, toBytes(change(toText(body.subarray(at))))]);
}

function rewriteHeaders(bytes: Uint8Array, change: (text: string) => string): Uint8Array {
  const parts: Uint8Array[] = [];
  let end = 0;
  for (const { nameStart, start, size, type } of findHeaders(bytes)) {
    end = start + size;
    if (type !== STRING) parts.push(bytes.subarray(nameStart - 1, end));
    else {
      const name = UTF8.decode(bytes.subarray(nameStart, start - 3));
      parts.push(...header(name, change(UTF8.decode(bytes.subarray(start, end)))));
    }
  }
  return concat([...parts, bytes.subarray(end)]);
}

/** What is wrong with the frame at the beginning of the bytes, as far as it has arrived. */
function findProblem(bytes: Uint8Array, view: DataView): string | undefined {
  const length = view.getUint32(0);
  const end = length - TRAILER;
  if (view.getUint32(8) !== checksum(bytes.subarray(0, 8))) return 'the checksum of its lengths is wrong';
  if (length > LONGEST || view.getUint32(4) + PRELUDE + TRAILER > length) return 'its lengths are impossible';
  if (bytes.length < length || view.getUint32(end) === checksum(bytes.subarray(0, end))) return undefined;
  return 'the checksum of its content is wrong';
}

/** Its name is that of the event or the exception; an error without a payload says in headers what went wrong. */
function readFrame(frame: Uint8Array, headerLength: number): FrameEvent {
  const headers = readHeaders(frame.subarray(0, headerLength));
  const data = UTF8.decode(frame.subarray(headerLength));
  const type = headers.get(':message-type');
  if (type !== 'error') return { event: headers.get(`:${type ?? 'event'}-type`), data };
  const code = headers.get(':error-code');
  return { event: 'error', data: data || JSON.stringify({ code, message: headers.get(':error-message') }) };
}

const UTF8 = /* @__PURE__ */ new TextDecoder();

/** How many bytes the value of a header has, by its type; strings and byte strings say it themselves. */
const SIZES: readonly (number | undefined)[] = [0, 0, 1, 2, 4, 8, undefined, undefined, 8, 16];
const STRING = 7;

/** The headers that are strings. */
function readHeaders(bytes: Uint8Array): ReadonlyMap<string, string> {
  const found = new Map<string, string>();
  for (const { nameStart, start, size, type } of findHeaders(bytes))
    if (type === STRING)
      found.set(UTF8.decode(bytes.subarray(nameStart, start - 3)), UTF8.decode(bytes.subarray(start, start + size)));
  return found;
}

/** The places of the headers. One of an unknown type ends the list, because its length is unknown. */
function* findHeaders(bytes: Uint8Array) {
  for (let at = 0; at < bytes.length; ) {
    const nameEnd = at + 1 + bytes[at]!;
    const type = bytes[nameEnd]!;
    const isLong = type === STRING || type === STRING - 1;
    const start = nameEnd + (isLong ? 3 : 1);
    const size = isLong ? bytes[nameEnd + 1]! * 256 + bytes[nameEnd + 2]! : SIZES[type];
    if (size === undefined || start + size > bytes.length) return;
    yield { nameStart: at + 1, start, size, type };
    at = start + size;
  }
}

/** One event as a frame, written with one character for each byte. */
export function writeFrame(event: string, data: string, type: 'event' | 'exception' = 'event'): string {
  const headers = concat([
    ...header(`:${type}-type`, event),
    ...header(':content-type', 'application/json'),
    ...header(':message-type', type),
  ]);
  return toText(joinFrame(headers, encoder.encode(data)));
}

function joinFrame(headers: Uint8Array, payload: Uint8Array): Uint8Array {
  const length = PRELUDE + headers.length + payload.length + TRAILER;
  const frame = new Uint8Array(length);
  const view = new DataView(frame.buffer);
  view.setUint32(0, length);
  view.setUint32(4, headers.length);
  view.setUint32(8, checksum(frame.subarray(0, 8)));
  frame.set(headers, PRELUDE);
  frame.set(payload, PRELUDE + headers.length);
  view.setUint32(length - TRAILER, checksum(frame.subarray(0, length - TRAILER)));
  return frame;
}

const encoder = /* @__PURE__ */ new TextEncoder();

function header(name: string, value: string): Uint8Array[] {
  const [nameBytes, valueBytes] = [encoder.encode(name), encoder.encode(value)];
  const size = new Uint8Array([STRING, valueBytes.length >> 8, valueBytes.length & 255]);
  return [new Uint8Array([nameBytes.length]), nameBytes, size, valueBytes];
}

function concat(parts: readonly Uint8Array[]): Uint8Array {
  const all = new Uint8Array(parts.reduce((length, part) => length + part.length, 0));
  let at = 0;
  for (const part of parts) {
    all.set(part, at);
    at += part.length;
  }
  return all;
}

function toText(bytes: Uint8Array): string {
  let text = '';
  for (const byte of bytes) text += String.fromCharCode(byte);
  return text;
}

function toBytes(text: string): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(text, (char) => char.charCodeAt(0));
}

/** Filled when it is first used: every program that imports core would wait for it. */
let table: readonly number[] | undefined;

function makeTable(): readonly number[] {
  return Array.from({ length: 256 }, (_, byte) => {
    let value = byte;
    for (let bit = 0; bit < 8; bit++) value = value & 1 ? (value >>> 1) ^ 0xedb88320 : value >>> 1;
    return value;
  });
}

/** CRC-32, as in zip files. */
function checksum(bytes: Uint8Array): number {
  table ??= makeTable();
  let sum = 0xffffffff;
  for (const byte of bytes) sum = (sum >>> 8) ^ table[(sum ^ byte) & 255]!;
  return (sum ^ 0xffffffff) >>> 0;
}
