import type { Importer } from '../importer.ts';
import { chatgpt } from './chatgpt.ts';
import { claude } from './claude.ts';
import { langchain } from './langchain.ts';
import { chatState, fineTuning, messageList, messages } from './messages.ts';
import { uiMessages } from './ui-messages.ts';

/** The importers that are always there, in the order in which they look at a source. */
export const BUILT_IN: readonly Importer[] = [
  messages,
  chatgpt,
  claude,
  messageList,
  chatState,
  langchain,
  uiMessages,
  fineTuning,
];
