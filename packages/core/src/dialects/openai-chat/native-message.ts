import type { ContentBlock, Role } from '../../message/index.ts';

/** What stands for a reply without any message. */
export const EMPTY_MESSAGE = '{"role":"assistant","content":""}';

/** Whether nothing is left to send (`content-null`, `content-empty`). Thoughts alone are no answer. */
export function saysNothing(role: Role, blocks: readonly ContentBlock[]): boolean {
  if (role !== 'assistant') return blocks.length === 0;
  return blocks.every((block) => block.type === 'reasoning' || (block.type === 'text' && block.text === ''));
}
