/**
 * The members of a record without a column, as a text. Most records are small and have the same names again and again, so
 * that PostgreSQL, which compresses only rows of 2 kB, would store mostly names. Here each frequent piece of text is one
 * or two characters that no JSON text contains: those below U+0020. Hashes are in base64 in place of hexadecimal digits.
 * The text comes back exactly as it was. A text that was stored before, or is longer, is stored as it is.
 */
const PACKED = '\u0001';
const LONGEST = 2000;

/** Hashes by their number of hexadecimal digits. */
const HASHES = new Map([
  [32, '\u0002'],
  [40, '\u0003'],
  [64, '\u0004'],
]);
/** The id of the exchange itself, and the time at its beginning. */
const OWN_ID = '\u001e';
const OWN_TIME = '\u001f';

/** What is stored never changes, so pieces may be added at the end of these lists, and none may be changed or removed. */
const OF_ONE = [
  ...[
    '{"data":{',
    '{"value":',
    '{"data":{"text":"',
    String.raw`\"`,
    String.raw`\",\"`,
    String.raw`\":\"`,
    '","',
    '":"',
  ],
  ...[',"', '":', String.raw`\"role\":\"user\",\"content\":\"`, String.raw`\"role\":\"assistant\",\"content\":\"`],
  ...[String.raw`\"}`, String.raw`{\"`, '"},"', String.raw`\n`, String.raw`\"},{\"`, '"}}', String.raw`\":`],
];
const OF_TWO = [
  // Exchanges.
  ...['"version":1,"id":"', '","start":', ',"writer":"', '","method":"POST","host":"', '","path":"'],
  ...['","query":"","kind":"generate","dialect":"', '","query":"', '","kind":"generate","dialect":"', '","kind":"'],
  ...['","dialect":"', '","provider":"', '","issuer":"', '","model":"', '","requestHeaders":{'],
  ...['},"outcome":"done","tags":[],"status":200,"responseHeaders":{', '},"outcome":"open","tags":[]', '},"outcome":"'],
  ...['","tags":[', '],"status":', ',"responseHeaders":{', '"content-type":"application/json"', '"content-type":"'],
  ...['application/json', 'text/event-stream', '; charset=utf-8', '},"firstByte":', ',"firstByte":', ',"responseId":"'],
  ...[',"end":', ',"responseBytes":', ',"requestSha256":"', '","replayKey":"', ',"hints":{', '"user-agent":"'],
  ...['"anthropic-version":"2023-06-01"', '"accept":"', 'api.openai.com', 'api.anthropic.com'],
  ...['generativelanguage.googleapis.com', '/v1/chat/completions', '/v1/responses', '/v1/messages', 'openai-chat'],
  ...['openai-responses', 'anthropic-messages', 'google-generatecontent', 'chatcmpl-'],
  // Their parts: texts of requests and responses.
  ...['","marks":[[', ']],"at":', '"base64":"', '{"data":{"text":"{\\"id\\":\\"', '{"data":{"text":"{\\"model\\":\\"'],
  ...[String.raw`{\"model\":\"`, String.raw`\",\"messages\":[{`, String.raw`\"finish_reason\":\"stop\"`],
  ...[
    String.raw`\",\"choices\":[{\"index\":0,\"message\":{`,
    String.raw`\",\"input\":[`,
    String.raw`\",\"stream\":true`,
  ],
  ...[String.raw`\"usage\":{`, String.raw`\"prompt_tokens\":`, String.raw`\"completion_tokens\":`],
  ...[String.raw`\"total_tokens\":`, String.raw`\"input_tokens\":`, String.raw`\"output_tokens\":`],
  ...[String.raw`\"created\":`, String.raw`\"object\":\"chat.completion`, String.raw`\"type\":\"text\",\"text\":\"`],
  ...[
    String.raw`\"type\":\"`,
    String.raw`\"content\":`,
    String.raw`\"delta\":{`,
    String.raw`data: {\"`,
    String.raw`\"id\":\"`,
  ],
  ...[String.raw`\",\"model\":\"`, String.raw`\"},\"finish_reason\":\"stop\"}]}"`, 'event: '],
  // Takes.
  ...['{"via":"record","origin":{"dialect":"', '{"via":"append","origin":{"dialect":"'],
  ...['{"via":"generate","origin":{"dialect":"', '{"author":"person","via":"append","origin":{"dialect":"'],
  ...['"},"author":"unknown","exchange":"', '"},"author":"model","exchange":"', '"},"author":"', '","exchange":"'],
  ...['","stop":{"reason":"end","native":"stop"},"thread":"', ',"stop":{"reason":"', '","native":"', '","thread":"'],
  ...['","context":{"system":[]},"envelope":"', '"context":{"system":[', ',"envelope":"', ',"firstEventMs":'],
  ...[',"durationMs":', ',"usage":{', '"input":', ',"output":', ',"cacheRead":', ',"cost":', ',"requestId":"'],
  ...[',"request":{"manifest":"', '","sha256":"', ',"extra":{', '"},"via":"'],
  // Where exchanges were placed, and other values that can change.
  ...['{"value":{"rules":5,"state":"landed","thread":"', '"state":"', '","parent":"', '","node":"', '","added":["'],
  ...['"],"by":"exact","found":"', '"],"by":"', '","found":"', '","matched":', ',"way":"', '"continues"', '"starts"'],
  ...['","stop":{"reason":"end","native":"stop"}}}', '{"value":"opening:'],
  // Nodes, and whole texts.
  ...['{"facts":{"role":"', '","calls":[],"results":[],"needs":[]', '","calls":[', '],"results":[', '],"needs":['],
  ...['user', 'assistant', 'system', 'tool'].map((role) => factsOf(role)),
  ...['{"value":true}', '{"value":false}', '{"value":null}', '{"value":"main"}'],
];

function factsOf(role: string): string {
  return `{"facts":{"role":"${role}","calls":[],"results":[],"needs":[]}}`;
}

/** The characters for pieces: none that has a meaning above, and no tabulator or end of line. */
const SINGLE =
  '\u0005\u0006\u0007\u0008\u000b\u000c\u000e\u000f\u0010\u0011\u0012\u0013\u0014\u0015\u0016\u0017\u0018\u0019\u001a';
const FIRST = '\u001c\u001d';
const SECONDS = 0x7e - 0x20;

const codes = new Map([
  ...OF_ONE.map((piece, at): [string, string] => [piece, SINGLE.charAt(at)]),
  ...OF_TWO.map((piece, at): [string, string] => [
    piece,
    FIRST.charAt(Math.floor(at / SECONDS)) + String.fromCharCode(0x21 + (at % SECONDS)),
  ]),
]);
const pieces = new Map([...codes].map(([piece, code]) => [code, piece]));

const HEXADECIMAL = '(?<![0-9a-zA-Z])(?:[0-9a-f]{64}|[0-9a-f]{40}|[0-9a-f]{32})(?![0-9a-zA-Z])';
const TO_PACK = new RegExp(
  [HEXADECIMAL, ...[...codes.keys()].sort((a, b) => b.length - a.length).map(escapePattern)].join('|'),
  'g',
);
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is looked for.
const TO_UNPACK = /\u0002.{22}|\u0003.{27}|\u0004.{43}|[\u001c\u001d].|[\u0005-\u001f]/g;

function escapePattern(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`);
}

/** Packs the JSON text of an object. `exchange` is the id of the record, if it is an exchange. */
export function packMembers(text: string, exchange?: string): string {
  const whole = codes.get(text);
  if (whole !== undefined) return PACKED + whole;
  if (text.length > LONGEST) return text;
  const own = exchange === undefined ? undefined : timeIn(exchange);
  const short = own === undefined ? text : text.replaceAll(exchange!, OWN_ID).replaceAll(own, OWN_TIME);
  return PACKED + short.replace(TO_PACK, (piece) => codes.get(piece) ?? packHash(piece));
}

/** Undoes `packMembers`. */
export function unpackMembers(stored: string, exchange?: string): string {
  if (!stored.startsWith(PACKED)) return stored;
  const packed = stored.slice(PACKED.length);
  return (
    pieces.get(packed) ??
    packed.replace(TO_UNPACK, (code) => {
      const piece = pieces.get(code) ?? (code.length > 2 ? unpackHash(code) : ownPiece(code, exchange));
      if (!piece) throw new Error('it was packed by a newer version, or as part of another record');
      return piece;
    })
  );
}

function packHash(digits: string): string {
  return HASHES.get(digits.length)! + Buffer.from(digits, 'hex').toString('base64url');
}

function unpackHash(code: string): string {
  return Buffer.from(code.slice(1), 'base64url').toString('hex');
}

function ownPiece(code: string, exchange: string | undefined): string | undefined {
  if (code === OWN_ID) return exchange;
  return code === OWN_TIME && exchange !== undefined ? timeIn(exchange) : undefined;
}

/** Ids of exchanges begin with nine digits of base 36: the time in milliseconds. */
function timeIn(id: string): string | undefined {
  return /^[0-9a-z]{9}[.]/.test(id) ? String(Number.parseInt(id.slice(0, 9), 36)) : undefined;
}
