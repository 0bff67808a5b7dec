/** Where each dialect has the messages of a request, and behind them what else belongs to the conversation. */
export const DIALECT_PLACES: Readonly<Record<string, readonly [messages: string, ...system: string[]]>> = {
  'openai-chat': ['messages'],
  'openai-responses': ['input', 'instructions'],
  'anthropic-messages': ['messages', 'system'],
  'google-generatecontent': ['contents', 'systemInstruction', 'system_instruction'],
};
