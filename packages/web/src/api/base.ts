import { navigate as navigateTo } from 'wouter/use-browser-location';

/**
 * The beginning of all addresses: empty for the reader's own conversations, or that of the samples, which the server keeps
 * apart. Switching between the two loads the page again.
 */
export const base = /^\/samples(?:\/|$)/.test(globalThis.location?.pathname) ? '/samples' : '';

export const isSamples = base !== '';

/** The address of the API. */
export const apiBase = `${base}/api/v1`;

/** The path of the current screen without the base, as hooks and links use it. */
export function pathHere(): string {
  return location.pathname.slice(base.length) || '/';
}

/** Navigates to a screen from code outside components; hooks and links add the base by themselves. */
export const navigate: typeof navigateTo = (to, options) => navigateTo(`${base}${to}`, options);
