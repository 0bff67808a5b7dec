import type { StrictReader } from './answer.ts';
import { anthropicReader } from './read-anthropic.ts';
import { chatReader } from './read-chat.ts';
import { googleReader } from './read-google.ts';
import { responsesReader } from './read-responses.ts';

/** The protocols that clients speak. */
export const CLIENT_PROTOCOLS = [
  'openai-chat',
  'openai-responses',
  'anthropic-messages',
  'google-generatecontent',
] as const;
export type ClientProtocol = (typeof CLIENT_PROTOCOLS)[number];

export const READERS: Readonly<Record<ClientProtocol, StrictReader>> = {
  'openai-chat': chatReader,
  'openai-responses': responsesReader,
  'anthropic-messages': anthropicReader,
  'google-generatecontent': googleReader,
};
