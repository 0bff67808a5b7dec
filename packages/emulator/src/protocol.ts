/** The ids of the four APIs. */
export const protocols = ['anthropic-messages', 'openai-chat', 'openai-responses', 'google-generatecontent'] as const;

/** The id of an API, such as `openai-chat`. */
export type Protocol = (typeof protocols)[number];
