import { navigate as navigateTo } from 'wouter/use-browser-location';

/**
 * What this page shows: the conversations of the person, or the samples, which the server has under an address of their own. Going from one
 * to the other loads the page anew.
 */
export const base = /^\/samples(?:\/|$)/.test(globalThis.location?.pathname) ? '/samples' : '';

export const isSamples = base !== '';

/** Where the API is. */
export const apiBase = `${base}/api/v1`;

/** The address of the screen that is shown, as hooks and links give it. */
export function pathHere(): string {
  return location.pathname.slice(base.length) || '/';
}

/** Goes to a screen, for code outside of components: hooks and links know the base by themselves. */
export const navigate: typeof navigateTo = (to, options) => navigateTo(`${base}${to}`, options);
