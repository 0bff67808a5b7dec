/** Reads a request by the JSON mapping of protocol buffers: names become camelCase, and faults are reported in Google's words. */
import { isObject, type Json } from '../../json.ts';
import { DATA_FIELDS, protoMessages } from './schema.ts';

export interface Fault {
  readonly kind: 'unknown' | 'type' | 'struct' | 'bytes' | 'oneof';
  /** snake_case, as Google writes it: `contents[0].parts[1].function_call` */
  readonly path: string;
  readonly message: string;
  /** For `unknown`: `parts.functionCall.foo`, as `Memory.ownField` knows it. */
  readonly own?: string;
}
export interface ReadResult {
  readonly value: unknown;
  readonly faults: readonly Fault[];
}

const camel = (name: string): string => name.replaceAll(/_([a-z0-9])/g, (_, letter: string) => letter.toUpperCase());
const snake = (name: string): string => name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
const camelPath = (path: string): string =>
  camel(
    path
      .replaceAll(/\[\d+\]/g, '')
      .replaceAll('["', '.')
      .replaceAll('"]', ''),
  );

const PACKAGE = 'type.googleapis.com/google.ai.generativelanguage.v1beta';
const SCALARS: Readonly<Record<string, readonly [name: string, test: (value: unknown) => boolean]>> = {
  string: ['TYPE_STRING', (value) => typeof value === 'string'],
  bool: ['TYPE_BOOL', (value) => typeof value === 'boolean'],
  // Numbers may be sent as text, enums as numbers.
  number: [
    'TYPE_DOUBLE',
    (value) => value !== '' && ['number', 'string'].includes(typeof value) && !Number.isNaN(Number(value)),
  ],
  enum: ['TYPE_ENUM', (value) => typeof value === 'string' || typeof value === 'number'],
  value: ['', () => true],
};

/** Standard or URL alphabet, padded or not. */
const isBase64 = (value: string): boolean =>
  /^[A-Za-z0-9+/_-]*={0,2}$/.test(value) && value.replace(/=+$/, '').length % 4 !== 1;

const fault = (kind: Fault['kind'], path: string, message: string): Fault => ({ kind, path, message });
const invalid = (path: string, type: string, value: unknown): string =>
  `Invalid value at '${path}' (${type}), ${JSON.stringify(value)}`;

export function readProto(value: unknown, type: string, path = ''): ReadResult {
  if (type.endsWith('[]')) return readList(value, type.slice(0, -2), path);
  if (type.startsWith('map<')) return readMap(value, type.slice(4, -1), path);
  const scalar = SCALARS[type];
  if (scalar) {
    const [name, test] = scalar;
    return { value, faults: test(value) ? [] : [fault('type', path, invalid(path, name, value))] };
  }
  if (type === 'struct') {
    const bad = fault('struct', path, invalid(path, 'type.googleapis.com/google.protobuf.Struct', value));
    return { value, faults: isObject(value) ? [] : [bad] };
  }
  if (type === 'bytes') {
    const bad = `Invalid value at '${path}' (TYPE_BYTES), Base64 decoding failed for ${JSON.stringify(value)}`;
    return { value, faults: typeof value === 'string' && isBase64(value) ? [] : [fault('bytes', path, bad)] };
  }
  return readMessage(value, type, path);
}

/** A single element may stand for a list of one (recorded: `"tools": {…}`). */
function readList(value: unknown, type: string, path: string): ReadResult {
  if (!Array.isArray(value)) {
    const one = readProto(value, type, path);
    return { value: [one.value], faults: one.faults };
  }
  const items = value.map((item, index) => readProto(item, type, `${path}[${index}]`));
  return { value: items.map((item) => item.value), faults: items.flatMap((item) => item.faults) };
}

function readMap(value: unknown, type: string, path: string): ReadResult {
  if (!isObject(value)) return { value, faults: [fault('type', path, invalid(path, 'Map', value))] };
  const items = Object.entries(value).map(([key, item]) => [key, readProto(item, type, `${path}["${key}"]`)] as const);
  return {
    value: Object.fromEntries(items.map(([key, item]) => [key, item.value])),
    faults: items.flatMap(([, item]) => item.faults),
  };
}

function readMessage(value: unknown, type: string, path: string): ReadResult {
  const fields = protoMessages.get(type) ?? {};
  if (!isObject(value)) return { value: {}, faults: [fault('type', path, invalid(path, `${PACKAGE}.${type}`, value))] };
  const read: Record<string, unknown> = {};
  const faults: Fault[] = [];
  for (const [name, item] of Object.entries(value)) {
    const known = camel(name);
    const fieldType = Object.hasOwn(fields, known) ? fields[known] : undefined;
    if (fieldType === undefined) faults.push(unknown(name, path));
    // null is the same as absent.
    else if (item !== null) {
      const field = readProto(item, fieldType, path === '' ? snake(known) : `${path}.${snake(known)}`);
      read[known] = field.value;
      faults.push(...field.faults);
    }
  }
  if (type === 'Part') faults.push(...secondData(read, path));
  return { value: read, faults };
}

function unknown(name: string, path: string): Fault {
  const where = path === '' ? '' : ` at '${path}'`;
  const own = `${path === '' ? '' : `${camelPath(path)}.`}${name}`.replace(/^contents\./, '');
  return {
    ...fault('unknown', path, `Invalid JSON payload received. Unknown name "${name}"${where}: Cannot find field.`),
    own,
  };
}

function secondData(part: Json, path: string): readonly Fault[] {
  const [, second] = Object.keys(part).filter((name) => DATA_FIELDS.includes(name));
  return second === undefined
    ? []
    : [
        fault(
          'oneof',
          path,
          `Invalid value at '${path}' (oneof), oneof field 'data' is already set. Cannot set '${second}'`,
        ),
      ];
}
