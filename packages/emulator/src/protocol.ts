/** The ids of the APIs. */
export const protocols = [
  'anthropic-messages',
  'openai-chat',
  'openai-responses',
  'google-generatecontent',
  'bedrock-converse',
  'cohere-chat',
  'google-interactions',
] as const;

/** The id of an API, such as `openai-chat`. */
export type Protocol = (typeof protocols)[number];
