export type { ProxyOptions } from './options.ts';
export { createProxy, type Proxy } from './proxy.ts';
export { isProxied } from './target.ts';
