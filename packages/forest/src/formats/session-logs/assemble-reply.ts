import {
  anthropicMessages,
  assistant,
  type ContentBlock,
  type Dialect,
  googleGenerateContent,
  isJson,
  isObject,
  type Message,
  openaiChat,
  openaiResponses,
} from '@skein/core';

/** A block of a reply, as an agent keeps it: the words in a form of its own, and what the provider issued beside them. */
export type KeptBlock =
  | {
      readonly kind: 'thought';
      readonly text: string;
      readonly id?: string | undefined;
      /** A signature or a ciphertext. */
      readonly seal?: string | undefined;
      /** The whole item as the provider sent it, if the agent has it. */
      readonly item?: string | undefined;
      /** The member of a message that it was in. */
      readonly member?: string | undefined;
    }
  | {
      readonly kind: 'text';
      readonly text: string;
      readonly id?: string | undefined;
      readonly phase?: string | undefined;
      readonly seal?: string | undefined;
    }
  | {
      readonly kind: 'call';
      /** The id that results name. */
      readonly id: string;
      readonly item?: string | undefined;
      readonly name: string;
      /** JSON. */
      readonly parameters: string;
      readonly seal?: string | undefined;
    };

/** How a protocol writes a reply, by the names that agents have for the protocol or for its provider. */
interface ReplyForm {
  readonly dialect: Dialect;
  readonly names: RegExp;
  readonly write: (blocks: readonly KeptBlock[]) => string;
}

const FORMS: readonly ReplyForm[] = [
  { dialect: anthropicMessages, names: /anthropic|claude/i, write: writeAnthropic },
  { dialect: openaiChat, names: /completions|chat|compatible/i, write: writeChat },
  { dialect: openaiResponses, names: /responses|codex|^openai$/i, write: writeResponses },
  { dialect: googleGenerateContent, names: /google|gemini|vertex/i, write: writeGoogle },
];

/**
 * Puts a reply together again in the protocol that it came by. `protocol` is the name that the agent has for it; a reply
 * by an unknown one is written in blocks, without what its provider sealed.
 */
export function assembleReply(
  protocol: string,
  blocks: readonly KeptBlock[],
  model: string | undefined,
): { readonly message: Message; readonly provider: string | undefined } {
  const form = FORMS.find(({ names }) => names.test(protocol));
  if (!form) return { message: assistant(blocks.map(toBlock)), provider: undefined };
  const { dialect, write } = form;
  return {
    message: dialect.parseMessage(write(blocks), model === undefined ? {} : { model }),
    provider: dialect.home.id,
  };
}

function toBlock(block: KeptBlock): ContentBlock {
  if (block.kind === 'thought') return { type: 'reasoning', text: block.text, redacted: false };
  if (block.kind === 'text') return { type: 'text', text: block.text };
  return { type: 'tool-use', id: block.id, name: block.name, parameters: {}, rawParameters: block.parameters };
}

function json(value: unknown): string {
  return JSON.stringify(value);
}

function writeAnthropic(blocks: readonly KeptBlock[]): string {
  const content = blocks.map((block) => {
    if (block.kind === 'text') return json({ type: 'text', text: block.text });
    if (block.kind === 'thought')
      return block.text === '' && block.seal !== undefined
        ? json({ type: 'redacted_thinking', data: block.seal })
        : json({ type: 'thinking', thinking: block.text, signature: block.seal ?? '' });
    return `{"type":"tool_use","id":${json(block.id)},"name":${json(block.name)},"input":${block.parameters}}`;
  });
  return `{"role":"assistant","content":[${content.join(',')}]}`;
}

function writeResponses(blocks: readonly KeptBlock[]): string {
  const items = blocks.map((block) => {
    if (block.kind === 'thought') {
      if (block.item !== undefined) return block.item;
      const summary = block.text === '' ? [] : [{ type: 'summary_text', text: block.text }];
      return json({ type: 'reasoning', id: block.id, summary, encrypted_content: block.seal });
    }
    if (block.kind === 'text') {
      const content = [{ type: 'output_text', text: block.text, annotations: [] }];
      return json({
        type: 'message',
        id: block.id,
        role: 'assistant',
        phase: block.phase,
        status: 'completed',
        content,
      });
    }
    return json({
      type: 'function_call',
      id: block.item,
      call_id: block.id,
      name: block.name,
      arguments: block.parameters,
      status: 'completed',
    });
  });
  return `[${items.join(',')}]`;
}

function writeChat(blocks: readonly KeptBlock[]): string {
  const texts = blocks.flatMap((block) => (block.kind === 'text' ? [block.text] : []));
  const thoughts = blocks.flatMap((block) => (block.kind === 'thought' ? [block] : []));
  const calls = blocks.flatMap((block) => (block.kind === 'call' ? [block] : []));
  return json({
    role: 'assistant',
    content: texts.length === 0 && calls.length > 0 ? null : texts.join(''),
    ...(thoughts.length > 0 && {
      [thoughts[0]!.member ?? 'reasoning_content']: thoughts.map(({ text }) => text).join(''),
    }),
    ...(calls.length > 0 && {
      tool_calls: calls.map(({ id, name, parameters }) => ({
        id,
        type: 'function',
        function: { name, arguments: parameters },
      })),
    }),
  });
}

function writeGoogle(blocks: readonly KeptBlock[]): string {
  const parts = blocks.map((block) => {
    const seal = block.seal === undefined ? '' : `,"thoughtSignature":${json(block.seal)}`;
    if (block.kind === 'thought') return `{"text":${json(block.text)},"thought":true${seal}}`;
    if (block.kind === 'text') return `{"text":${json(block.text)}${seal}}`;
    return `{"functionCall":{"id":${json(block.id)},"name":${json(block.name)},"args":${block.parameters}}${seal}}`;
  });
  return `{"role":"model","parts":[${parts.join(',')}]}`;
}

/** A text that is a JSON object; undefined otherwise. */
export function objectText(text: string | undefined): string | undefined {
  return text !== undefined && isJson(text) && isObject(JSON.parse(text)) ? text : undefined;
}
