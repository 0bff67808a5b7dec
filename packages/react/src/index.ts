/** A React hook for conversations of Skein, over its HTTP API or over a route of your own. */
export {
  type Block,
  type CallDecision,
  ConversationError,
  type ConversationMessage,
  type ConversationSnapshot,
  type ConversationStatus,
  type ConversationTransport,
  type PendingCall,
} from './conversation.ts';
export { type HttpTransportOptions, httpTransport } from './http-transport.ts';
export { type RouteTransportOptions, routeTransport } from './route-transport.ts';
export { type OpenConversation, type OpenConversationOptions, useConversation } from './use-conversation.ts';
