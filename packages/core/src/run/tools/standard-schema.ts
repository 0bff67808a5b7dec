import { isObject, type JsonObject, parseJson } from '../../json/index.ts';
import { exactValue, type IntegerForm, mayHoldLargeIntegers, toolForm } from './exact.ts';
import { schemaRoot } from './schema-place.ts';
import type { CheckResult, Finding, StandardSchema } from './types.ts';

/**
 * Checks arguments by a Standard Schema. Such a schema does not tell which form of an integer it takes, so it is asked:
 * where it refuses an integer, it is given a `bigint`, and then, for a large one, its digits.
 */
export async function checkStandard<Output>(
  text: string,
  schema: StandardSchema<Output>,
  parameters: JsonObject,
): Promise<CheckResult<Output>> {
  const { validate } = schema['~standard'];
  const place = schemaRoot(parameters);
  const forms = new Map<string, IntegerForm>();
  const first = await validate(mayHoldLargeIntegers(text) ? exactValue(text, place, toolForm) : parseJson(text));
  let result = first;
  for (const form of ['bigint', 'digits'] as const) {
    if (!result.issues) return result;
    const refused = new Set(result.issues.map(keyOf));
    let changed = false;
    const value = exactValue(text, place, (integer) => {
      const key = JSON.stringify(integer.path.map(String));
      if (refused.has(key) && (integer.isLarge || form === 'bigint')) {
        changed = true;
        forms.set(key, form);
      }
      return forms.get(key) ?? toolForm(integer);
    });
    if (!changed) return first;
    result = await validate(value);
  }
  return result.issues ? first : result;
}

function keyOf({ path = [] }: Finding): string {
  return JSON.stringify(path.map((step) => String(isObject(step) ? step.key : step)));
}
