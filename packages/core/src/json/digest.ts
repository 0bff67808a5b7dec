import {
  CLOSE_BRACKET,
  COMMA,
  endOfString,
  endOfValue,
  OPEN_BRACE,
  OPEN_BRACKET,
  parseJson,
  QUOTE,
  skipSpace,
} from './parse.ts';

/**
 * The canonical text of a JSON value, for hashing and comparing only: all texts of the same value give the same
 * canonical text. Keys are sorted by code unit (the last of duplicate keys wins), whitespace is removed, each string has
 * one spelling, and numbers are compared by their exact decimal value: `1.0`, `1e0` and `1` agree, while two 19-digit
 * integers stay distinct.
 *
 * @example
 * canonical('{ "b": 1.0, "a": 2 }'); // '{"a":2,"b":1}'
 */
export function canonical(text: string): string {
  parseJson(text);
  return new CanonicalReader(text).value(skipSpace(text, 0));
}

/** Reads a valid JSON text once, from front to back. */
class CanonicalReader {
  readonly #text: string;
  /** The offset behind the last value. */
  #end = 0;

  constructor(text: string) {
    this.#text = text;
  }

  value(start: number): string {
    const code = this.#text.charCodeAt(start);
    if (code === OPEN_BRACE) return this.#object(start);
    if (code === OPEN_BRACKET) return this.#array(start);
    this.#end = endOfValue(this.#text, start);
    return canonicalScalar(this.#text.slice(start, this.#end));
  }

  #object(start: number): string {
    const text = this.#text;
    const values = new Map<string, string>();
    let at = skipSpace(text, start + 1);
    while (text.charCodeAt(at) === QUOTE) {
      const end = endOfString(text, at);
      const name = text.slice(at, end);
      const colon = skipSpace(text, end);
      values.set(readString(name), this.value(skipSpace(text, colon + 1)));
      at = this.#next();
    }
    this.#end = at + 1;
    const names = [...values.keys()].sort();
    return `{${names.map((name) => `${JSON.stringify(name)}:${values.get(name)}`).join(',')}}`;
  }

  #array(start: number): string {
    const text = this.#text;
    const items: string[] = [];
    let at = skipSpace(text, start + 1);
    while (text.charCodeAt(at) !== CLOSE_BRACKET) {
      items.push(this.value(at));
      at = this.#next();
    }
    this.#end = at + 1;
    return `[${items.join(',')}]`;
  }

  /** The offset of the next member or item, or of the closing bracket. */
  #next(): number {
    const at = skipSpace(this.#text, this.#end);
    return this.#text.charCodeAt(at) === COMMA ? skipSpace(this.#text, at + 1) : at;
  }
}

function canonicalScalar(scalar: string): string {
  const code = scalar.charCodeAt(0);
  if (code === QUOTE) return JSON.stringify(readString(scalar));
  // A minus and the digits come before the letters of `true`, `false` and `null`.
  return code <= 0x39 ? canonicalNumber(scalar) : scalar;
}

function readString(quoted: string): string {
  return quoted.includes('\\') ? JSON.parse(quoted) : quoted.slice(1, -1);
}

/** `-12.50e3` → `-125e2`: sign, digits without outer zeros, exponent of ten. */
function canonicalNumber(number: string): string {
  if (/^-?(?:\d*[1-9]|0)$/.test(number) && number !== '-0') return number;
  const [, sign, whole, fraction = '', exponent] = /(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?/.exec(number)!;
  const digits = (whole! + fraction).replace(/^0+/, '');
  const significant = digits.replace(/0+$/, '');
  if (significant === '') return '0';
  const scale = BigInt(exponent ?? 0) - BigInt(fraction.length) + BigInt(digits.length - significant.length);
  return scale === 0n ? `${sign}${significant}` : `${sign}${significant}e${scale}`;
}

// SHA-256 in plain JavaScript: synchronous, without a dependency. The buffers are reused, because a history is many
// short texts.
const K = /* @__PURE__ */ new Int32Array(64);
const START = /* @__PURE__ */ new Int32Array(8);
const words = /* @__PURE__ */ new Int32Array(64);
const state = /* @__PURE__ */ new Int32Array(8);
const encoder = /* @__PURE__ */ new TextEncoder();
let bytes = /* @__PURE__ */ new Uint8Array(4096);

/**
 * Long texts are hashed by the platform where it can do so synchronously, as Node can: five times as fast. Once it is
 * loaded, it hashes short ones, too.
 */
const LONG = 1024;
type Hash = (algorithm: string, text: string) => string;
type Platform = { process?: { getBuiltinModule?: (name: string) => { hash?: Hash } | undefined } };
let platformHash: Hash | false | undefined;

/** Found when it is first needed: loading the module takes time. */
function findPlatformHash(): Hash | false {
  return (globalThis as Platform).process?.getBuiltinModule?.('crypto')?.hash ?? false;
}

/**
 * SHA-256 of a text's UTF-8 bytes, in hex.
 *
 * @example
 * digest('abc'); // 'ba7816bf8f01cfea…'
 */
export function digest(text: string): string {
  if (text.length >= LONG || platformHash) {
    platformHash ??= findPlatformHash();
    if (platformHash) return platformHash('sha256', text);
  }
  return sha256(text);
}

/** The same where the platform has no such function, as in browsers. */
export function sha256(text: string): string {
  if (K[0] === 0) fillConstants();
  if (bytes.length < text.length * 3 + 72) bytes = new Uint8Array(text.length * 3 + 72);
  const length = encoder.encodeInto(text, bytes).written;
  const end = ((length + 8) >> 6) * 64 + 64;
  bytes.fill(0, length, end);
  bytes[length] = 0x80;
  new DataView(bytes.buffer).setUint32(end - 4, length * 8);
  bytes[end - 5] = length / 2 ** 29;
  state.set(START);
  for (let at = 0; at < end; at += 64) addBlock(at);
  let hex = '';
  for (const word of state) hex += (word >>> 0).toString(16).padStart(8, '0');
  return hex;
}

/**
 * The first bits of the fractional parts of the roots of the first primes, as the standard has it. The lists keep these 32 bits of what is
 * written into them, and nothing that is written behind their end.
 */
function fillConstants(): void {
  for (let count = 0, candidate = 2; count < 64; candidate++) {
    let divisor = 2;
    while (candidate % divisor !== 0) divisor++;
    if (divisor < candidate) continue;
    START[count] = Math.sqrt(candidate) * 2 ** 32;
    K[count++] = Math.cbrt(candidate) * 2 ** 32;
  }
}

function addBlock(start: number): void {
  for (let i = 0, at = start; i < 16; i++, at += 4)
    words[i] = (bytes[at]! << 24) | (bytes[at + 1]! << 16) | (bytes[at + 2]! << 8) | bytes[at + 3]!;
  for (let i = 16; i < 64; i++) {
    const x = words[i - 15]!;
    const y = words[i - 2]!;
    const first = ((x >>> 7) | (x << 25)) ^ ((x >>> 18) | (x << 14)) ^ (x >>> 3);
    const second = ((y >>> 17) | (y << 15)) ^ ((y >>> 19) | (y << 13)) ^ (y >>> 10);
    words[i] = first + words[i - 7]! + second + words[i - 16]!;
  }
  let a = state[0]!;
  let b = state[1]!;
  let c = state[2]!;
  let d = state[3]!;
  let e = state[4]!;
  let f = state[5]!;
  let g = state[6]!;
  let h = state[7]!;
  for (let i = 0; i < 64; i++) {
    const mixedE = ((e >>> 6) | (e << 26)) ^ ((e >>> 11) | (e << 21)) ^ ((e >>> 25) | (e << 7));
    const mixedA = ((a >>> 2) | (a << 30)) ^ ((a >>> 13) | (a << 19)) ^ ((a >>> 22) | (a << 10));
    const t = (h + mixedE + ((e & f) ^ (~e & g)) + K[i]! + words[i]!) | 0;
    const u = mixedA + ((a & b) ^ (a & c) ^ (b & c));
    h = g;
    g = f;
    f = e;
    e = (d + t) | 0;
    d = c;
    c = b;
    b = a;
    a = (t + u) | 0;
  }
  state[0] = state[0]! + a;
  state[1] = state[1]! + b;
  state[2] = state[2]! + c;
  state[3] = state[3]! + d;
  state[4] = state[4]! + e;
  state[5] = state[5]! + f;
  state[6] = state[6]! + g;
  state[7] = state[7]! + h;
}
