/** Judges requests by their bytes alone. Shares no code with what it judges. */

const TOKEN = /"(?:[^"\\]|\\.)*"|[{}[\],:]|[^\s"{}[\],:]+/gs;

/** The exact texts of what stands directly inside of an array or an object, there with `"name":` before it. */
export function inside(text: string): string[] {
  const parts: string[] = [];
  let depth = 0;
  let start = text.search(/[{[]/) + 1;
  for (const { 0: token, index } of text.matchAll(TOKEN)) {
    const closes = token === '}' || token === ']';
    if (closes) depth--;
    if ((depth === 1 && token === ',') || (depth === 0 && closes)) {
      const part = text.slice(start, index).trim();
      if (part !== '') parts.push(part);
      start = index + 1;
    }
    if (token === '{' || token === '[') depth++;
  }
  return parts;
}

/** The exact text of a member, wherever it stands in the object. */
export function member(text: string, name: string): string | undefined {
  const found = inside(text).find((part) => part.startsWith(`"${name}":`));
  return found?.slice(name.length + 3).trim();
}

const SYSTEM = ['system', 'instructions', 'systemInstruction', 'system_instruction'];
const MESSAGES = ['messages', 'input', 'contents'];

const first = (body: string, names: readonly string[]): string | undefined =>
  names.map((name) => member(body, name)).find((text) => text !== undefined);

/** The texts of the messages of a request. */
export const messagesIn = (body: string): string[] => inside(first(body, MESSAGES) ?? '[]');

/** Markers of caches may move: they say nothing. */
export const unmarked = <T extends string | undefined>(text: T): T =>
  text?.replace(/,"cache_control":\{[^{}]*\}|"cache_control":\{[^{}]*\},?|,\{"cachePoint":\{[^{}]*\}\}/g, '') as T;

/** A system text as one block says what it says as a string. */
const asBlocks = (text: string | undefined): string | undefined =>
  text?.startsWith('"') ? `[{"type":"text","text":${text}}]` : text;

/** Why a request does not begin with all that an earlier one said; undefined when it does. */
export function parting(earlier: string, later: string): string | undefined {
  for (const names of [SYSTEM, ['tools', 'toolConfig']])
    if (asBlocks(unmarked(first(earlier, names))) !== asBlocks(unmarked(first(later, names))))
      return `"${names[0]}" is another one`;
  const after = messagesIn(later).map(unmarked);
  const index = messagesIn(earlier).findIndex((text, at) => unmarked(text) !== after[at]);
  return index < 0 ? undefined : `message ${index} is ${after[index]}, and was ${messagesIn(earlier)[index]}`;
}

const OPAQUE = /"(?:signature|encrypted_content|thoughtSignature|redactedContent|data)":"([^"]{20,})"/g;

/** Signatures and ciphertexts that a text holds. */
export const opaqueIn = (text: string): string[] => [...text.matchAll(OPAQUE)].map((match) => match[1]!);
