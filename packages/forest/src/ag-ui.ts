/** The route for clients of the AG-UI protocol. */
export { agentRoute } from './routes/ag-ui.ts';
export type { ChatRequest, ChatRoute, ChatRouteOptions, ChatRouteSettings } from './routes/chat-route.ts';
