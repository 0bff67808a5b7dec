import { type JsonObject, parseJson } from '../../json/index.ts';
import { exactValue, mayHoldLargeIntegers, toolForm } from './exact.ts';
import { allowsType, schemaRoot } from './schema-place.ts';
import type { CheckResult, Finding } from './types.ts';

/** Keywords that only say that something inside of them failed. */
const WRAPPERS = new Set(['properties', 'patternProperties', 'items', 'prefixItems', 'allOf', '$ref', '$dynamicRef']);

/** Checks arguments against a JSON Schema, and gives the input with its large integers exact. */
export function jsonSchemaCheck(schema: JsonObject): (text: string) => Promise<CheckResult<unknown>> {
  const place = schemaRoot(schema);
  const loaded = once(async () => {
    // Loaded on first use: whoever brings schemas of another kind need not carry it.
    const { Validator } = await import('@cfworker/json-schema');
    return new Validator(schema, '2020-12', false);
  });
  return async (text) => {
    const validator = await loaded();
    const hasLarge = mayHoldLargeIntegers(text);
    // The checker knows no other numbers than doubles.
    const seen = hasLarge
      ? exactValue(text, place, ({ place: at, isLarge }) => (isLarge && allowsType(at, 'string') ? 'digits' : 'number'))
      : parseJson(text);
    const { valid, errors } = validator.validate(seen);
    if (valid) return { value: hasLarge ? exactValue(text, place, toolForm) : seen };
    const telling = errors.filter(({ keyword }) => !WRAPPERS.has(keyword));
    return { issues: (telling.length > 0 ? telling : errors).map(findingOf) };
  };
}

function once<T>(make: () => Promise<T>): () => Promise<T> {
  let made: Promise<T> | undefined;
  return () => {
    made ??= make();
    return made;
  };
}

function findingOf({ instanceLocation, error }: { instanceLocation: string; error: string }): Finding {
  const path = instanceLocation.split('/').slice(1);
  return path.length > 0 ? { message: error, path } : { message: error };
}
