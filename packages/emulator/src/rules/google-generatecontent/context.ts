/** What the rules look at, read once from the body. All names are in camelCase. */
import { isObject, type Json, objects } from '../../json.ts';
import type { JudgedRequest, Rule } from '../verdict.ts';
import { type Fault, readProto } from './proto-json.ts';

/** What a Gemini model enforces, by its name. Unknown names count as the newest model. */
interface Model {
  /** 3.1 is 3.01, so that 3.10 would sort after 3.9. */
  readonly version: number;
  /** `flash-lite-preview`, `pro-image` */
  readonly variant: string;
}

const version = (major: number, minor: number): number => major + minor / 100;

export function parseModel(name: string): Model {
  const parts = /gemini-(\d+)(?:\.(\d+))?(?:-(.*))?$/.exec(name);
  if (!parts) {
    // Gemma and the 1.0 aliases never sign anything.
    const old = /gemma|gemini-pro$|gemini-pro-vision/.test(name);
    return { version: old ? 1 : Number.POSITIVE_INFINITY, variant: '' };
  }
  return { version: version(Number(parts[1]), Number(parts[2] ?? 0)), variant: parts[3] ?? '' };
}

/** Whether function calls must be sent back signed: from 3 on, except with image models. */
export const demandsSignature = ({ version, variant }: Model): boolean => version >= 3 && !variant.includes('image');

/** 3.6 and later, and 3.5-flash-lite. */
export const refusesModelTail = (m: Model): boolean =>
  m.version >= version(3, 6) || (m.version === version(3, 5) && m.variant.startsWith('flash-lite'));

export interface Context {
  readonly request: JudgedRequest;
  readonly faults: readonly Fault[];
  readonly model: Model;
  readonly contents: readonly Json[];
  readonly turns: readonly Turn[];
  readonly parts: readonly PlacedPart[];
  readonly system: Json | undefined;
  readonly systemParts: readonly PlacedPart[];
}

/** What is wrong: the message, and the fields that Google lists in `details`. */
export interface Violation {
  readonly message: string;
  readonly violations?: readonly { readonly field?: string; readonly description: string }[];
}

export type GoogleRule = Rule<Context, string | Violation>;

export function readContext(request: JudgedRequest, raw: Json): Context {
  const { value, faults } = readProto(raw, 'Request');
  const body = isObject(value) ? value : {};
  const contents = objects(body.contents);
  const system = isObject(body.systemInstruction) ? body.systemInstruction : undefined;
  return {
    request,
    faults,
    model: parseModel(request.model ?? (typeof body.model === 'string' ? body.model : '')),
    contents,
    turns: mergeTurns(contents),
    parts: contents.flatMap(placeParts),
    system,
    systemParts: placeParts(system ?? {}, 0).map((part) => ({
      ...part,
      path: `system_instruction.parts[${part.index}]`,
    })),
  };
}

/** Whether an unknown field is one that the provider itself put into a reply. */
export const isOwn = ({ request: { memory, settings } }: Context, { kind, own = '' }: Fault): boolean =>
  kind === 'unknown' && settings?.refuseOwnFields !== true && memory?.ownField(own) === true;

export interface PlacedPart {
  readonly part: Json;
  /** Index in `contents` and in its `parts`. */
  readonly content: number;
  readonly index: number;
  /** `contents[1].parts[0]` */
  readonly path: string;
}

export interface Turn {
  readonly role: 'user' | 'model';
  readonly parts: readonly PlacedPart[];
}

/** No role means user; `function` is an older name for a user content with results. */
export const readRole = ({ role }: Json): 'user' | 'model' => (role === 'model' ? 'model' : 'user');

export const placeParts = ({ parts }: Json, content: number): readonly PlacedPart[] =>
  objects(parts).map((part, index) => ({ part, content, index, path: `contents[${content}].parts[${index}]` }));

/** Gemini takes consecutive contents of one role for one turn (wire-rules, "surprises"). */
function mergeTurns(contents: readonly Json[]): readonly Turn[] {
  const turns: { role: 'user' | 'model'; parts: PlacedPart[] }[] = [];
  contents.forEach((content, index) => {
    const role = readRole(content);
    const last = turns.at(-1);
    if (last && last.role === role) last.parts.push(...placeParts(content, index));
    else turns.push({ role, parts: [...placeParts(content, index)] });
  });
  return turns;
}

export const calls = (parts: readonly PlacedPart[]): readonly PlacedPart[] =>
  parts.filter(({ part }) => isObject(part.functionCall));
export const responses = (parts: readonly PlacedPart[]): readonly PlacedPart[] =>
  parts.filter(({ part }) => isObject(part.functionResponse));
