/** Skein over HTTP: the forest, live generations and a recording proxy. */
export type { Api } from './app.ts';
export { createServer, type ListeningServer, type Server, type ServerOptions } from './create-server.ts';
export { isLoopback } from './http/access.ts';
export { createLog, type Log } from './http/observability.ts';
export type { ProxyOptions } from './proxy/headers.ts';
export { createRedactor, type RedactionRules, type Redactor } from './redact.ts';
export { seedSample } from './sample/conversations.ts';
