export type { LlmBuilder } from './builder.ts';
export { llm } from './llm.ts';
export type { MediaInput, MediaOptions } from './media.ts';
