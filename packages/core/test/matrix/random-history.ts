/** Histories as they might be stored after crashes, edits, imports and changes of provider. */
import { type Message, system, toolResult, user } from '@skein/core';
import fc from 'fast-check';
import { APIS, type Api } from './apis.ts';
import { elsewhere } from './elsewhere.ts';
import { Issuer } from './issuer.ts';
import { responseBody, type Said } from './said.ts';
import { readStreamed, streamOf } from './streamed.ts';

export interface History {
  readonly messages: readonly Message[];
  /** What each home provider would recognise. */
  readonly issuers: ReadonlyMap<Api, Issuer>;
}

type Step =
  | { readonly kind: 'user' | 'system'; readonly text: string }
  | { readonly kind: 'result'; readonly which: number; readonly text: string; readonly failed: boolean }
  | { readonly kind: 'again'; readonly which: number }
  | {
      readonly kind: 'reply';
      readonly api: Api;
      readonly model: number;
      readonly said: Said;
      readonly foreign: boolean;
      /** After how many events the stream broke off; it did not when undefined. */
      readonly cut: number | undefined;
    };

const text = fc.constantFrom(
  '',
  ' ',
  '\n\t',
  'word',
  'two words',
  'ends in space ',
  'ü "quoted" \\ 😀',
  'half \ud83d a',
);
const call = fc.record(
  {
    name: fc.constantFrom('lookup', 'search'),
    args: fc.constantFrom('{}', '', '{"a":1.0}', '{"a":2512292042121000001}', '{"a":', '[1]', '"text"', 'null'),
  },
  { requiredKeys: [] },
);
const oddCall = fc
  .record({
    named: fc.constantFrom(
      { id: 'functions.lookup:0', name: 'lookup' },
      { id: 'functions.lookup:1', name: 'lookup' },
      { id: 'a|b', name: 'a.b' },
      { id: 'x'.repeat(83), name: 'n'.repeat(90) },
      { name: 'with space' },
    ),
    args: fc.constantFrom('{}', '{"a":'),
  })
  .map(({ named, args }): Said.Call => ({ ...named, args }));
const said = (calls: fc.Arbitrary<Said.Call>): fc.Arbitrary<Said> =>
  fc.record(
    {
      text,
      thought: fc.constantFrom('', 'hm', 'a longer thought'),
      calls: fc.uniqueArray(calls, { maxLength: 3, selector: ({ id }) => id ?? {} }),
    },
    { requiredKeys: [] },
  );

const reply = fc.boolean().chain((foreign) =>
  fc.record({
    kind: fc.constant('reply' as const),
    api: fc.constantFrom(...APIS),
    model: fc.nat(2),
    said: said(foreign ? oddCall : call),
    foreign: fc.constant(foreign),
    cut: fc.option(fc.nat(12), { nil: undefined, freq: 4 }),
  }),
);

const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('user' as const), text }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('system' as const), text }) },
  { weight: 4, arbitrary: reply },
  {
    weight: 4,
    arbitrary: fc.record({ kind: fc.constant('result' as const), which: fc.nat(6), text, failed: fc.boolean() }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('again' as const), which: fc.nat(6) }) },
);

export const randomHistory: fc.Arbitrary<History> = fc.array(step, { minLength: 1, maxLength: 12 }).map(played);

/** With more turns to cut between. */
export const longHistory: fc.Arbitrary<History> = fc.array(step, { minLength: 8, maxLength: 30 }).map(played);

function played(steps: readonly Step[]): History {
  const messages: Message[] = [];
  const calls: string[] = [];
  const issuers = new Map(APIS.map((api) => [api, new Issuer()]));
  steps.forEach((step, turn) => {
    if (step.kind === 'user') messages.push(user(step.text));
    if (step.kind === 'system') messages.push(system(step.text));
    if (step.kind === 'again' && messages.length > 0) messages.push(messages[step.which % messages.length]!);
    if (step.kind === 'result') {
      const id = calls.at(-1 - (step.which % Math.max(calls.length, 1))) ?? 'nobody';
      messages.push(toolResult(id, step.text, { isError: step.failed }));
    }
    if (step.kind === 'reply') {
      const made = replied(step, turn);
      if (!step.foreign) issuers.get(step.api)!.remember(made);
      calls.push(...made.toolUses.map(({ id }) => id));
      messages.push(made);
    }
  });
  return { messages, issuers };
}

function replied({ api, model, said, foreign, cut }: Step & { kind: 'reply' }, turn: number): Message {
  const name = api.models[model % api.models.length]!;
  const origin = { model: name, ...(foreign && { issuer: elsewhere(api).issuer }) };
  if (cut === undefined) return api.dialect.readResponse(responseBody(api, name, said, turn), origin).message;
  return readStreamed(api, streamOf(api, name, said, turn), origin, cut).message;
}
