import { parseJson } from './parse.ts';
import { endOfValue, OPEN_BRACE, OPEN_BRACKET, QUOTE, skipSpace } from './scan.ts';
import { findElements, findMembers } from './slice.ts';

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
  return canonicalAt(text, skipSpace(text, 0));
}

function canonicalAt(text: string, start: number): string {
  const code = text.charCodeAt(start);
  if (code === OPEN_BRACE) {
    const values = new Map(findMembers(text, start).map((member) => [member.name, member.start]));
    const names = [...values.keys()].sort(byCodeUnit);
    return `{${names.map((name) => `${JSON.stringify(name)}:${canonicalAt(text, values.get(name)!)}`).join(',')}}`;
  }
  if (code === OPEN_BRACKET)
    return `[${findElements(text, start)
      .map((item) => canonicalAt(text, item.start))
      .join(',')}]`;
  return canonicalScalar(text.slice(start, endOfValue(text, start)));
}

function canonicalScalar(scalar: string): string {
  const code = scalar.charCodeAt(0);
  if (code === QUOTE)
    return scalar.includes('\\') ? JSON.stringify(JSON.parse(scalar)) : JSON.stringify(scalar.slice(1, -1));
  return code === 0x2d || (code >= 0x30 && code <= 0x39) ? canonicalNumber(scalar) : scalar;
}

/** `-12.50e3` → `-1250e1`: sign, digits without outer zeros, exponent of ten. */
function canonicalNumber(number: string): string {
  const [, sign = '', whole = '', fraction = '', exponent = '0'] =
    /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/.exec(number) ?? [];
  const digits = (whole + fraction).replace(/^0+/, '');
  const significant = digits.replace(/0+$/, '');
  if (significant === '') return '0';
  const scale = BigInt(exponent) - BigInt(fraction.length) + BigInt(digits.length - significant.length);
  return scale === 0n ? sign + significant : `${sign}${significant}e${scale}`;
}

function byCodeUnit(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
