export type { ProxyOptions } from './options.ts';
export { createProxy } from './proxy.ts';
export { isProxied } from './target.ts';
