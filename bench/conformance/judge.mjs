// How much of a reply is in the request that follows it.
import { leavesOf, meaning, memberOf, readJson } from './exact-json.mjs';

/** @import { Leaf, Value } from './exact-json.mjs' */
/** @import { Protocol } from './replies/index.mjs' */

/**
 * @typedef {object} Verdict
 * @property {number} leaves share of the reply's values that came back under their names
 * @property {number} bytes share of the bytes of its values that came back as they were spelt
 * @property {number} verbatim share of its elements that came back byte for byte
 * @property {boolean} inOrder what came back stands in the order in which it came
 * @property {readonly string[]} missing
 */

/**
 * @param {Protocol} protocol
 * @param {readonly string[]} elements as they were issued
 * @param {string} request
 * @returns {Verdict}
 */
export function judge(protocol, elements, request) {
  const sent = joined(protocol, sentElements(protocol, request));
  const issued = joined(protocol, elements);
  const wanted = issued.flatMap((element) => leavesOf(element));
  const got = sent.flatMap((element) => leavesOf(element));
  const byValue = taken(wanted, got, ({ path, spelling }) => `${path} ${meaning(spelling)}`);
  const missing = byValue.missing.filter((leaf) => !got.some((other) => isPiece(leaf, other)));
  const bySpelling = taken(wanted, got, ({ path, spelling }) => `${path} ${spelling}`);
  return {
    leaves: 1 - missing.length / wanted.length,
    bytes: size(bySpelling.found) / size(wanted),
    verbatim: elements.filter((element) => request.includes(element)).length / elements.length,
    inOrder: isInOrder(issued, sent),
    missing: missing.map(({ path, spelling }) => `${path}: ${spelling}`),
  };
}

/**
 * The elements that a request says the model issued.
 * @param {Protocol} protocol
 * @param {string} request
 */
function sentElements(protocol, request) {
  const body = readJson(request);
  const texts = (/** @type {Value | undefined} */ list) =>
    (list?.items ?? []).map(({ start, end }) => request.slice(start, end));
  const listIn = (/** @type {string} */ name) => memberOf(body, name)?.items ?? [];
  const roleOf = (/** @type {Value} */ message) => {
    const role = memberOf(message, 'role');
    return role ? JSON.parse(request.slice(role.start, role.end)) : '';
  };
  const textOf = (/** @type {Value} */ value) => request.slice(value.start, value.end);
  if (protocol === 'openai-responses')
    return listIn('input')
      .filter((item) => !['user', 'system', 'developer'].includes(roleOf(item)))
      .map(textOf)
      .filter((text) => !text.includes('"function_call_output"'));
  if (protocol === 'google-interactions')
    return listIn('input')
      .map(textOf)
      .filter((text) => !/"type":"(?:user_input|function_result)"/.test(text));
  if (protocol === 'openai-chat' || protocol === 'cohere-chat')
    return listIn('messages')
      .filter((message) => roleOf(message) === 'assistant')
      .map(textOf);
  const isModel = (/** @type {Value} */ message) => ['assistant', 'model'].includes(roleOf(message));
  const [list, blocks] = protocol === 'google-generatecontent' ? ['contents', 'parts'] : ['messages', 'content'];
  return listIn(list)
    .filter(isModel)
    .flatMap((message) => texts(memberOf(message, blocks)));
}

/**
 * Gemini streams a text as many parts; whether neighbours with nothing but text are joined makes no difference.
 * @param {Protocol} protocol
 * @param {readonly string[]} elements
 */
function joined(protocol, elements) {
  if (protocol !== 'google-generatecontent') return elements;
  /** @type {string[]} */
  const list = [];
  for (const element of elements) {
    const [, said, thought] = PLAIN.exec(element) ?? [];
    const [, before, thoughtBefore] = PLAIN.exec(list.at(-1) ?? '') ?? [];
    if (said !== undefined && before !== undefined && thought === thoughtBefore)
      list.splice(-1, 1, `{"text":"${before}${said}"${thought}}`);
    else list.push(element);
  }
  return list;
}

const PLAIN = /^\{"text":"((?:[^"\\]|\\.)*)"((?:,"thought":true)?)\}$/;

/**
 * @param {readonly Leaf[]} wanted
 * @param {readonly Leaf[]} got
 * @param {(leaf: Leaf) => string} keyOf
 */
function taken(wanted, got, keyOf) {
  /** @type {Map<string, number>} */
  const left = new Map();
  for (const leaf of got) left.set(keyOf(leaf), (left.get(keyOf(leaf)) ?? 0) + 1);
  /** @type {{ found: Leaf[], missing: Leaf[] }} */
  const result = { found: [], missing: [] };
  for (const leaf of wanted) {
    const count = left.get(keyOf(leaf)) ?? 0;
    left.set(keyOf(leaf), count - 1);
    result[count > 0 ? 'found' : 'missing'].push(leaf);
  }
  return result;
}

/**
 * A text that was joined with its neighbours was not lost.
 * @param {Leaf} leaf
 * @param {Leaf} other
 */
function isPiece(leaf, other) {
  if (leaf.path !== other.path || !/^".{4}/.test(leaf.spelling)) return false;
  return meaning(other.spelling).includes(meaning(leaf.spelling).slice(1, -1));
}

/** @param {readonly Leaf[]} leaves */
function size(leaves) {
  return leaves.reduce((sum, { spelling }) => sum + Buffer.byteLength(spelling), 0);
}

/**
 * Each element is known by its longest value; those that came back must not have changed places.
 * @param {readonly string[]} issued
 * @param {readonly string[]} sent
 */
function isInOrder(issued, sent) {
  const values = sent.map((element) => new Set(leavesOf(element).map(({ spelling }) => meaning(spelling))));
  const places = issued.flatMap((element) => {
    const [longest] = leavesOf(element).sort((a, b) => b.spelling.length - a.spelling.length);
    const place = longest ? values.findIndex((own) => own.has(meaning(longest.spelling))) : -1;
    return place < 0 ? [] : [place];
  });
  return places.every((place, index) => index === 0 || place >= (places[index - 1] ?? 0));
}
