import { Problem } from '../http/problem.ts';
import type { ProxyOptions } from './options.ts';

/** What a client wants of the proxy, in `x-skein-*` headers that go no further. */
export interface Wishes {
  readonly mode: 'record' | 'replay' | 'pass';
  readonly timing: 'none' | 'recorded';
  /** A replay without a recording. */
  readonly onMiss: 'refuse' | 'pass';
  readonly tags: readonly string[];
  /** As it was sent: the recorder ignores a name that cannot be used, and says so in the exchange. */
  readonly thread: string | undefined;
}

const MAX_TAGS = 50;

/** Throws a `Problem` for what it does not know: a test must not reach a provider because of a slip of the pen. */
export function wishesOf(
  headers: ReadonlyMap<string, string>,
  { mode = 'record', onMiss = 'refuse' }: ProxyOptions,
): Wishes {
  const skip = oneOf(headers, 'x-skein-skip', ['true', '1', 'false', '0'] as const) ?? 'false';
  const wanted = oneOf(headers, 'x-skein-mode', ['record', 'replay', 'pass'] as const) ?? mode;
  const isSkipped = skip === 'true' || skip === '1';
  return {
    mode: wanted === 'record' && isSkipped ? 'pass' : wanted,
    timing: oneOf(headers, 'x-skein-replay-timing', ['none', 'recorded'] as const) ?? 'none',
    onMiss: oneOf(headers, 'x-skein-on-miss', ['refuse', 'pass'] as const) ?? onMiss,
    tags: tagsOf(headers.get('x-skein-tags')),
    thread: headers.get('x-skein-thread'),
  };
}

function oneOf<T extends string>(
  headers: ReadonlyMap<string, string>,
  name: string,
  values: readonly T[],
): T | undefined {
  const given = headers.get(name)?.trim().toLowerCase();
  if (given === undefined || given === '') return undefined;
  const found = values.find((value) => value === given);
  if (found === undefined) throw new Problem(400, 'bad_header', `${name} is one of: ${values.join(', ')}.`);
  return found;
}

function tagsOf(text: string | undefined): string[] {
  if (text === undefined) return [];
  const tags = text
    .split(',')
    .map((tag) => tag.trim())
    .filter((tag) => tag !== '');
  if (tags.length > MAX_TAGS || tags.some((tag) => tag.length > 100))
    throw new Problem(
      400,
      'bad_header',
      `x-skein-tags has at most ${MAX_TAGS} tags of 100 characters, with commas between.`,
    );
  return tags;
}
