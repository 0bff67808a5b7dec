import type { PartForms } from '../write/index.ts';
import { isToolResult } from './flaws.ts';
import { messageText, textPart } from './forms.ts';

/** Tool results stand first (`tool-result-not-first`). */
export const partForms: PartForms = {
  list: 'content',
  isResult: isToolResult,
  userMessage: (parts) => messageText('user', parts),
  textPart,
};
