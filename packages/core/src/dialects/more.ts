/** The dialects that the main entry leaves out, for those who read what any provider wrote: stores and servers. */
export { bedrockConverse } from './bedrock-converse/index.ts';
export { cohereChat } from './cohere-chat/index.ts';
export { googleInteractions } from './google-interactions/index.ts';
