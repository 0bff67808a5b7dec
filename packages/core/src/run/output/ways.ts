import type { JsonObject } from '../../json/index.ts';

/** How a dialect asks for a reply that follows a schema. */
export interface Way {
  /** The members of the body that say so. */
  readonly body: (schema: JsonObject, isStrict: boolean) => JsonObject;
  /** Whether objects that name their properties are told to have no others. */
  readonly closes: boolean;
  /** Whether it takes no other objects than such. */
  readonly onlyClosed: boolean;
  /** Keywords that it refuses; the reply is checked by them all the same. */
  readonly without: readonly string[];
}

const NAME = 'output';

/** By dialect. Where there is none, and where a descriptor's quirks say so, a tool has to be called instead. */
export const WAYS: Readonly<Record<string, Way>> = {
  'openai-chat': {
    body: (schema, strict) => ({
      response_format: { type: 'json_schema', json_schema: { name: NAME, schema, strict } },
    }),
    closes: true,
    onlyClosed: false,
    without: [],
  },
  'openai-responses': {
    body: (schema, strict) => ({ text: { format: { type: 'json_schema', name: NAME, schema, strict } } }),
    closes: true,
    onlyClosed: false,
    without: [],
  },
  'anthropic-messages': {
    body: (schema) => ({ output_config: { format: { type: 'json_schema', schema } } }),
    closes: true,
    onlyClosed: true,
    without: [
      ...['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum', 'multipleOf'],
      ...['minLength', 'maxLength', 'minItems', 'maxItems', 'uniqueItems'],
    ],
  },
  'google-generatecontent': {
    body: (schema) => ({ generationConfig: { responseMimeType: 'application/json', responseJsonSchema: schema } }),
    closes: false,
    onlyClosed: false,
    without: [],
  },
};
