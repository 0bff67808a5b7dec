import { isObject, isText, type JsonObject, textAt } from '../../json/index.ts';
import type { ContentBlock, MessageView, Origin, Role } from '../../message/index.ts';
import { objectIn, viewId } from '../write/index.ts';
import { blocksOfContent } from './content-view.ts';
import { type Item, isModelItem, itemsOf, itemType } from './items.ts';
import { needsOf } from './needs.ts';

/** A model's turn, `[item,item,…]`, or one item that a client wrote. */
export function viewOf(raw: string, origin: Origin): MessageView {
  const { items, isTurn } = itemsOf(raw);
  const role = isTurn ? 'assistant' : roleOf(items[0]!.value as JsonObject);
  const content = items.flatMap((item, index) => blocksOfItem(item, role, () => viewId(raw, index)) ?? unknown(item));
  return { role, content, needs: needsOf(raw, items, origin) };
}

function unknown({ text }: Item): ContentBlock {
  return { type: 'unknown', native: text };
}

function roleOf(item: JsonObject): Role {
  if (isModelItem(item)) return 'assistant';
  const type = itemType(item);
  if (type !== 'message') return type?.endsWith('_output') ? 'tool' : 'other';
  if (item.role === 'system' || item.role === 'developer') return 'system';
  return item.role === 'user' ? 'user' : 'other';
}

/** What an item shows; undefined for tools of the provider and whatever else has no block of its own. */
export function blocksOfItem(item: Item, role: Role, madeId: () => string): ContentBlock[] | undefined {
  const { value } = item;
  if (!isObject(value)) return undefined;
  const { name, call_id: id } = value;
  const type = itemType(value);
  switch (type) {
    case 'message':
      // Words of a user inside a turn are not the model's.
      return role === 'assistant' && value.role !== role ? undefined : contentOf(item, 'content');
    case 'reasoning':
      return [reasoningOf(value)];
    case 'function_call':
    case 'custom_tool_call': {
      if (typeof name !== 'string') return undefined;
      const isCustom = type === 'custom_tool_call';
      const rawParameters = isCustom ? `{"input":${textAt(item.text, ['input']) ?? '""'}}` : argumentsOf(item, value);
      const call = { id: isText(id) ? id : madeId(), name };
      const parameters = objectIn(rawParameters) ?? {};
      return [{ type: 'tool-use', ...call, parameters, rawParameters, ...(isCustom && { form: 'custom' }) }];
    }
    case 'function_call_output':
    case 'custom_tool_call_output':
    case 'computer_call_output':
    case 'shell_call_output':
    case 'apply_patch_call_output':
    case 'local_shell_call_output': {
      if (role === 'assistant') return undefined;
      // The local shell may name its call in `id`.
      const named = id ?? (type === 'local_shell_call_output' ? value.id : undefined);
      const toolCallId = typeof named === 'string' ? named : `skn_fn_0_${name ?? 'tool'}`;
      return [{ type: 'tool-result', toolCallId, content: contentOf(item, 'output'), isError: false }];
    }
    case 'image_generation_call': {
      const { result, output_format: format } = value;
      if (!isText(result)) return undefined;
      return [{ type: 'media', mediaType: `image/${format || 'png'}`, source: { kind: 'base64', data: result } }];
    }
    default:
      return undefined;
  }
}

function contentOf({ text, value }: Item, name: 'content' | 'output'): ContentBlock[] {
  const content = textAt(text, [name]);
  return content === undefined ? [] : blocksOfContent({ text: content, value: (value as JsonObject)[name] });
}

function argumentsOf({ text }: Item, value: JsonObject): string {
  return typeof value.arguments === 'string' ? value.arguments : (textAt(text, ['arguments']) ?? '');
}

function reasoningOf({ summary, content, encrypted_content: sealed }: JsonObject): ContentBlock {
  const parts = [summary, content].flatMap((list): unknown[] => (Array.isArray(list) ? list : []));
  const text = parts.flatMap((part) => (isObject(part) && typeof part.text === 'string' ? part.text : [])).join('\n\n');
  return { type: 'reasoning', text, redacted: text === '' && typeof sealed === 'string' };
}
