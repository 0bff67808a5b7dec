import type { Message } from '../../message/index.ts';

/** Members of replies that their blocks show, or that mean nothing beyond the reply itself. */
const KNOWN: ReadonlySet<string> = /* @__PURE__ */ new Set(
  'annotations args arguments call_id citations content data encrypted_content format function functionCall function_call id index input name parts phase reasoning reasoning_content reasoning_details refusal role signature status summary text thinking thought thoughtSignature thought_signature tool_calls type'.split(
    ' ',
  ),
);

/** Inside a string every quote is escaped, so this finds keys and nothing else. */
const KEY = /"([^"\\]+)"\s*:/g;

/** The names of members of a reply that a translation from its blocks leaves behind. */
export function unknownMembers({ raw, content }: Message): string[] {
  let rest = raw;
  for (const block of content) {
    if (block.type === 'tool-use') rest = rest.replace(block.rawParameters, '');
    if (block.type === 'unknown') rest = rest.replace(block.native, '');
    if (block.type === 'text') for (const { native } of block.citations ?? []) rest = rest.replace(native, '');
  }
  const names = new Set([...rest.matchAll(KEY)].map((match) => match[1]!));
  return [...names].filter((name) => !KNOWN.has(name));
}
