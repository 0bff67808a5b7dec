import { type JsonObject, parseJson } from '../../json/index.ts';
import { exactValue, type IntegerForm, mayHoldLargeIntegers } from './exact.ts';
import { schemaRoot } from './schema-place.ts';
import { toolForm } from './tool-form.ts';
import type { CheckResult, StandardSchema } from './types.ts';

/**
 * Checks arguments by a Standard Schema. Such a schema does not tell what it takes for a large integer, so it is asked:
 * by its JSON Schema, as `bigint`, as digits. The first form that it takes is used.
 */
export async function checkStandard<Output>(
  text: string,
  schema: StandardSchema<Output>,
  parameters: JsonObject,
): Promise<CheckResult<Output>> {
  const { validate } = schema['~standard'];
  if (!mayHoldLargeIntegers(text)) return validate(parseJson(text));
  const place = schemaRoot(parameters);
  const forms: readonly ((at: typeof place) => IntegerForm)[] = [toolForm, () => 'bigint', () => 'digits'];
  let first: CheckResult<Output> | undefined;
  for (const form of forms) {
    const result = await validate(exactValue(text, place, form));
    if (!result.issues) return result;
    first ??= result;
  }
  return first!;
}

/** The JSON Schema that the library itself gives, in one of the ways that are known. */
export function jsonSchemaOf(schema: StandardSchema): JsonObject | undefined {
  return schema['~standard'].jsonSchema?.input({ target: 'draft-2020-12' });
}
