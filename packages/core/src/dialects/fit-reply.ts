import type { Citation, ContentBlock, MediaBlock, Message, ToolUseBlock } from '../message/index.ts';
import { dropped, type LossNote, rewritten } from './loss.ts';
import type { Policies } from './provider.ts';
import type { ServedTool } from './request-meaning.ts';
import type { ReplyHead } from './serve.ts';
import { targetToolId } from './write/drafts.ts';
import { inlineDataUrl, noteLeftOut } from './write/translate.ts';

/** What the responses of a protocol have a form for. */
export interface ReplyAbilities {
  citations(citation: Citation): boolean;
  readonly refusals: boolean;
  /** Calls of tools that take free text. */
  readonly customCalls: boolean;
  /** Reasoning without text, of which there is only a ciphertext. */
  readonly sealedReasoning: boolean;
  media(block: MediaBlock): boolean;
  /** What its clients send back: ids of calls in another form are replaced. */
  readonly policies: Pick<Policies, 'toolIds'>;
}

/** A block of a foreign message as a protocol can show it; undefined where it has no form for it. Notes what that loses. */
export function fitBlock(
  block: ContentBlock,
  path: string,
  abilities: ReplyAbilities,
  reference: (() => string | undefined) | undefined,
  tools: ReplyHead['tools'],
  losses: LossNote[],
): ContentBlock | undefined {
  switch (block.type) {
    case 'text': {
      const { citations = [], ...plain } = block;
      if (citations.length === 0) return plain;
      const kept = citations.filter((citation, at) => {
        const isKept = abilities.citations(citation);
        losses.push((isKept ? rewritten : dropped)(`${path}.citations[${at}]`, 'citations'));
        return isKept;
      });
      return kept.length > 0 ? { ...plain, citations: kept } : plain;
    }
    case 'reasoning':
      if (block.text !== '' || (abilities.sealedReasoning && reference?.() !== undefined)) {
        losses.push(rewritten(path, 'foreign-reasoning'));
        return block;
      }
      break;
    case 'refusal':
      if (abilities.refusals) return block;
      losses.push(rewritten(path, 'refusal'));
      return { type: 'text', text: block.text };
    case 'tool-use': {
      const named = { ...block, ...serveCall(block, path, abilities, tools, losses) };
      const { form, ...plain } = named;
      if (!form || abilities.customCalls) return named;
      losses.push(rewritten(path, 'unknown-field', `form: ${form}`));
      return plain;
    }
    case 'media': {
      const media = inlineDataUrl(block);
      if (abilities.media(media)) return media;
      break;
    }
  }
  block satisfies { type: 'reasoning' | 'media' | 'tool-result' | 'unknown' };
  losses.push(noteLeftOut(block, path));
  return undefined;
}

/** The name that the client knows a tool by, and an id that it may send back. */
export function serveCall(
  { id, name }: Pick<ToolUseBlock, 'id' | 'name'>,
  path: string,
  { policies }: ReplyAbilities,
  tools: ReplyHead['tools'],
  losses: LossNote[],
): Pick<ToolUseBlock, 'id' | 'name'> {
  return {
    id: id === '' ? '' : targetToolId(id, policies, `${path}.id`, losses),
    name: tools?.get(name)?.name ?? name,
  };
}

/** A block of a reply as a protocol can show it, with its number in the message; of a call, the client's tool. */
export interface ShownBlock {
  readonly block: ContentBlock;
  readonly index: number;
  readonly tool?: ServedTool | undefined;
}

/** The blocks of a message that a protocol can show. */
export function fitMessage(
  { content }: Message,
  abilities: ReplyAbilities,
  { reference, tools }: ReplyHead,
  losses: LossNote[],
): ShownBlock[] {
  return content.flatMap((given, index) => {
    const block = fitBlock(given, `content[${index}]`, abilities, () => reference?.(index), tools, losses);
    return block ? [{ block, index, tool: given.type === 'tool-use' ? tools?.get(given.name) : undefined }] : [];
  });
}
