import type { JsonObject } from '../../json/index.ts';
import type { StandardSchema } from './types.ts';

/** The JSON Schema that the library itself gives. */
export function jsonSchemaOf(schema: StandardSchema): JsonObject | undefined {
  const given = schema['~standard'].jsonSchema?.input({ target: 'draft-2020-12' });
  if (!given) return undefined;
  // Which draft it is does not matter to a model, and not every API takes the name.
  const { $schema: _, ...plain } = given;
  return plain;
}
