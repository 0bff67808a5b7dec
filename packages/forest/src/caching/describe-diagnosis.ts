import { causePlace } from './cache-totals.ts';
import type { RequestDifference } from './compare-requests.ts';
import type { CacheCause, CacheDiagnosis } from './diagnosis.ts';

/**
 * Says in a sentence what the cache did for a request, and why.
 *
 * @example
 * describeDiagnosis(diagnosis); // 'tools[3].description changed from request to request (an address): …'
 */
export function describeDiagnosis(diagnosis: CacheDiagnosis): string {
  return SENTENCES[diagnosis.cause](diagnosis);
}

const VOLATILE = { time: 'a time', id: 'an id', address: 'an address', path: 'a path', number: 'a number' };

const SENTENCES: Readonly<Record<CacheCause, (diagnosis: CacheDiagnosis) => string>> = {
  hit: ({ tokens }) => `${number(tokens.read)} of ${number(tokens.prompt)} tokens came from the cache.`,
  first: ({ tokens }) =>
    tokens.written > 0
      ? `Nothing before it could serve it. ${number(tokens.written)} tokens were written for the next request.`
      : 'Nothing before it could serve it.',
  changed: (one) => `${causePlace(one)} ${changeWord(one.difference!)}: ${fromTo(one.difference!)}.`,
  reordered: ({ difference }) =>
    `The ${difference!.part} are the same, but in another order, from ${difference!.part}[${difference!.index}] on.`,
  respelled: (one) =>
    `${causePlace(one)} means the same, but is spelled differently (key order, spaces or escapes): ${fromTo(one.difference!)}.`,
  volatile: (one) =>
    `${causePlace(one)} contains ${VOLATILE[one.difference!.volatile ?? 'number']} that differs: ${fromTo(one.difference!)}.`,
  model: ({ name }) => `The request before it went to ${name}. Models do not share caches.`,
  setting: ({ name }) => `"${name}" differs from the request before it, and the cache is bound to it.`,
  header: ({ name }) => `The header "${name}" differs from the request before it, and the cache is bound to it.`,
  expired: ({ idle }) =>
    `The request before it was ${duration(idle!.since)} ago; the cache keeps an unused entry for ${duration(idle!.lifetime)}.`,
  'too-soon': () => 'It was sent before the response to the request before it began, and so before that was cached.',
  'too-short': ({ tokens }) => `${number(tokens.prompt)} tokens are fewer than the provider caches.`,
  'no-marker': () => 'It has no cache marker, and the provider caches only up to a marker.',
  'far-marker': () => 'Its cache marker is too many blocks behind what was cached, so the provider did not look there.',
  'moved-marker': () =>
    'Its last cache marker is in front of the end of what was cached, and the provider reads only up to a marker.',
  'not-cached': () => 'The provider is not known to cache prompts.',
  provider: () =>
    'It begins with all of the request before it, in time. The provider did not keep that, or another machine answered.',
  'no-usage': () => 'The response reports no usage.',
};

function changeWord({ kind }: RequestDifference): string {
  return kind === 'added' ? 'was added' : kind === 'removed' ? 'was removed' : 'changed';
}

function fromTo({ before, after, shared }: RequestDifference): string {
  const same = `, behind ${number(shared)} characters that are the same`;
  if (before === '') return `${after}${same}`;
  return after === '' ? `${before}${same}` : `${before} became ${after}${same}`;
}

function number(count: number): string {
  return count.toLocaleString('en');
}

function duration(ms: number): string {
  const seconds = Math.round(ms / 1000);
  if (seconds < 120) return `${seconds} s`;
  const minutes = Math.round(seconds / 60);
  return minutes < 120 ? `${minutes} min` : `${Math.round(minutes / 6) / 10} h`;
}
