import type { JsonObject } from '../../json/index.ts';

/**
 * The type that a JSON Schema describes, as far as its literals tell: objects, lists, enums, constants and unions. What they
 * do not tell, such as what is behind a `$ref`, is `unknown`; a schema that is no literal describes any object.
 */
export type InferSchema<Schema> = unknown extends FromSchema<Schema> ? JsonObject : FromSchema<Schema>;

type FromSchema<Schema> = Schema extends { readonly const: infer Value }
  ? Value
  : Schema extends { readonly enum: readonly (infer Value)[] }
    ? Value
    : Schema extends { readonly anyOf: readonly (infer Choice)[] }
      ? FromSchema<Choice>
      : Schema extends { readonly oneOf: readonly (infer Choice)[] }
        ? FromSchema<Choice>
        : Schema extends { readonly type: readonly (infer Name)[] }
          ? FromType<Name, Schema>
          : Schema extends { readonly type: infer Name }
            ? FromType<Name, Schema>
            : FromObject<Schema>;

type FromType<Name, Schema> = Name extends 'string'
  ? string
  : Name extends 'number'
    ? number
    : Name extends 'integer'
      ? FromInteger<Schema>
      : Name extends 'boolean'
        ? boolean
        : Name extends 'null'
          ? null
          : Name extends 'array'
            ? FromArray<Schema>
            : FromObject<Schema>;

/** Large integers are given as `bigint`, so only one with a maximum is always a number. */
type FromInteger<Schema> = Schema extends { readonly maximum: number } | { readonly exclusiveMaximum: number }
  ? number
  : number | bigint;

type FromArray<Schema> = Schema extends { readonly items: infer Items } ? FromSchema<Items>[] : unknown[];

type FromObject<Schema> = Schema extends { readonly properties: infer Properties }
  ? Flat<
      { -readonly [Key in keyof Properties & RequiredKeys<Schema>]: FromSchema<Properties[Key]> } & {
        -readonly [Key in Exclude<keyof Properties, RequiredKeys<Schema>>]?: FromSchema<Properties[Key]>;
      }
    >
  : Schema extends { readonly type: 'object'; readonly additionalProperties: infer Values extends JsonObject }
    ? Record<string, FromSchema<Values>>
    : Schema extends { readonly type: 'object' }
      ? JsonObject
      : unknown;

type RequiredKeys<Schema> = Schema extends { readonly required: readonly (infer Key)[] } ? Key : never;

/** One object in place of two: what an editor shows. */
type Flat<Type> = { [Key in keyof Type]: Type[Key] };
