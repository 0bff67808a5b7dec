export const protocols = ['anthropic-messages', 'openai-chat', 'openai-responses', 'google-generatecontent'] as const;

export type Protocol = (typeof protocols)[number];
