import { nearest, type RequestParams } from '@skein/core';
import { UsageError } from '../output/output.ts';

/** Splits `name=value`, as `-o` and `-p` are given. */
export function readPair(flag: string, given: string): [name: string, value: string] {
  const at = given.indexOf('=');
  if (at < 1) throw new UsageError(`${flag} takes a name and a value: ${flag} ${given || 'name'} value.`);
  return [given.slice(0, at), given.slice(at + 1)];
}

type Reader = (text: string, name: string) => RequestParams;

const OPTIONS: Readonly<Record<string, Reader>> = {
  temperature: (text, name) => ({ temperature: number(text, name) }),
  max_tokens: (text, name) => ({ maxTokens: count(text, name) }),
  top_p: (text, name) => ({ topP: number(text, name) }),
  seed: (text, name) => ({ seed: count(text, name) }),
  stop: (text) => ({ stop: [text] }),
  reasoning_effort: (text) => ({ reasoning: { effort: text } }),
  thinking_budget: (text, name) => ({ reasoning: { budget: count(text, name) } }),
};

/** The names that `-o` takes. */
export const OPTION_NAMES: readonly string[] = Object.keys(OPTIONS);

/** The parameters that `-o name value` sets. */
export function readOptions(pairs: readonly (readonly [string, string])[]): RequestParams {
  return Object.assign(
    {},
    ...pairs.map(([given, value]) => {
      const name = given.replaceAll('-', '_').toLowerCase();
      const read = OPTIONS[name];
      if (read && Object.hasOwn(OPTIONS, name)) return read(value, given);
      const near = nearest(name, OPTION_NAMES);
      const hint = near ? `Did you mean "${near}"?` : `There are ${OPTION_NAMES.join(', ')}.`;
      throw new UsageError(`-o: there is no option "${given.slice(0, 60)}". ${hint}`);
    }),
  ) as RequestParams;
}

function number(text: string, name: string): number {
  const value = Number(text);
  if (text.trim() !== '' && Number.isFinite(value)) return value;
  throw new UsageError(`-o ${name}: "${text}" is not a number.`);
}

function count(text: string, name: string): number {
  if (/^\d{1,9}$/.test(text)) return Number(text);
  throw new UsageError(`-o ${name}: "${text}" is not a whole number.`);
}
