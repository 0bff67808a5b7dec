/** The route for pages that use the AI SDK: `useChat` with `DefaultChatTransport`. */

export { chatRoute } from './routes/ai-sdk.ts';
export type { ChatRequest, ChatRoute, ChatRouteOptions, ChatRouteSettings } from './routes/chat-route.ts';
