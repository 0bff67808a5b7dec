// The route for pages that use the AI SDK.
export * from '@skein/forest/ai-sdk';
