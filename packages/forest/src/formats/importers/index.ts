import type { ImportFormat } from '../import-file.ts';
import type { Reader } from '../importer.ts';
import { chatgpt } from './chatgpt.ts';
import { claude } from './claude.ts';
import { langchain } from './langchain.ts';
import { chatState, fineTuning, messageList, messages } from './messages.ts';
import { uiMessages } from './ui-messages.ts';

export const READERS: Readonly<Record<Exclude<ImportFormat, 'segments' | 'older'>, Reader>> = {
  messages,
  'message-list': messageList,
  'chat-state': chatState,
  'fine-tuning': fineTuning,
  chatgpt,
  claude,
  'ui-messages': uiMessages,
  langchain,
};

export type { Reader } from '../importer.ts';
