/**
 * Types of what is sent as JSON, and a check that a schema says the same as the type that it describes: a member or a
 * kind that only one of them has is a type error where the check stands.
 */

/** A value as a client reads it from JSON: nothing is read-only, and a member that may be undefined may be absent. */
type Wire<T> = T extends readonly (infer Item)[]
  ? Wire<Item>[]
  : T extends object
    ? { [Key in RequiredKeys<T>]: Wire<T[Key]> } & {
        [Key in Exclude<keyof T, RequiredKeys<T>>]?: Wire<Exclude<T[Key], undefined>>;
      } extends infer Members
      ? { [Key in keyof Members]: Members[Key] }
      : never
    : T;

type RequiredKeys<T> = { [Key in keyof T]-?: undefined extends T[Key] ? never : Key }[keyof T];

/** `true` where two types are the same in JSON, member by member; otherwise `false`. */
export type IsSameOnWire<A, B> = IsSame<Wire<A>, Wire<B>>;

/** Alone, an optional member that only one of two types has would not tell them apart. */
type IsSame<A, B> = [A, B] extends [B, A]
  ? [AllRequired<A>, AllRequired<B>] extends [AllRequired<B>, AllRequired<A>]
    ? true
    : false
  : false;

type AllRequired<T> = T extends readonly (infer Item)[]
  ? AllRequired<Item>[]
  : T extends object
    ? { [Key in keyof T]-?: AllRequired<T[Key]> }
    : T;

/** Compiles only for `true`: `assertSame<IsSameOnWire<A, B>>()`. */
export function assertSame<_Same extends true>(): void {}
