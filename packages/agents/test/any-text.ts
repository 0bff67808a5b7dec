/** Texts that could stand in a configuration file, and values that nobody would write there. */
import fc from 'fast-check';

export const KEYS = [
  ...['store', 'model', 'preset', 'presets', 'providers', 'agents', 'mcp', 'fetch', 'redaction', 'retention', 'server'],
  ...['name', 'provider', 'system_prompt', 'tools', 'files', 'params', 'limits', 'approve', 'fallback', 'module'],
  ...['openai', 'base_url', 'dialect', 'command', 'url', 'env', 'headers', 'port', 'days', 'patterns', 'steps'],
  ...['__proto__', 'constructor', 'toString', '', ' '],
];
export const text = fc.oneof(
  fc.string(),
  fc.constantFrom(...KEYS, 'mcp:x', './x.ts', 'read_file', 'openai/gpt-5.2', '~', '..'),
);
export const { value } = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 4 },
    text,
    fc.double(),
    fc.boolean(),
    fc.constant(null),
    fc.array(tie('value'), { maxLength: 4 }),
    fc.array(fc.tuple(fc.constantFrom(...KEYS), tie('value')), { maxLength: 6 }).map((entries) => new Map(entries)),
  ),
}));
export const json = (given: unknown): string =>
  JSON.stringify(given, (_, inner: unknown) => (inner instanceof Map ? Object.fromEntries(inner) : inner)) ?? 'null';
