/** Everything the rules look at, read once from the body; all names are in camelCase. */
import { isObject, type Json, objects } from '../../json.ts';
import type { JudgedRequest } from '../verdict.ts';
import { type Model, model } from './models.ts';
import { type Fault, readProto } from './proto-json.ts';
import { mergeTurns, type PlacedPart, place, type Turn } from './turns.ts';

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

export function readContext(request: JudgedRequest, raw: Json): Context {
  const { value, faults } = readProto(raw, 'Request');
  const body = isObject(value) ? value : {};
  const contents = objects(body.contents);
  const system = isObject(body.systemInstruction) ? body.systemInstruction : undefined;
  return {
    request,
    faults,
    model: model(request.model ?? (typeof body.model === 'string' ? body.model : '')),
    contents,
    turns: mergeTurns(contents),
    parts: contents.flatMap(place),
    system,
    systemParts: place(system ?? {}, 0).map((part) => ({ ...part, path: `system_instruction.parts[${part.index}]` })),
  };
}

/** An unknown field that the provider itself put into a reply. */
export const isOwn = ({ request: { memory, settings } }: Context, { kind, own = '' }: Fault): boolean =>
  kind === 'unknown' && settings?.refuseOwnFields !== true && memory?.ownField(own) === true;
