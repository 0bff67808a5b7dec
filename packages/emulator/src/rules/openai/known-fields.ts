import type { JudgedRequest } from '../verdict.ts';
import { type Dialect, isExtra } from './dialect.ts';
import { type Finding, missingParameter, unknownParameter, unsure } from './finding.ts';
import { type Deviation, deviations, type Shape } from './shape.ts';
import type { Fields } from './values.ts';

interface Closedness {
  readonly body: Fields;
  readonly dialect: Dialect;
  readonly request: JudgedRequest;
}

const isOwn = ({ settings, memory }: JudgedRequest, name: string): boolean =>
  !settings?.refuseOwnFields && (memory?.ownField(name) ?? false);

/** A type that the provider made up itself. */
export const isOwnType = (request: JudgedRequest, type: unknown): boolean => isOwn(request, `:${type}`);

const knownAnyway = ({ dialect, request }: Closedness, { plain, own }: Deviation): boolean =>
  isExtra(dialect, plain) || isOwn(request, own);

/** The shape is that of the whole body, or of one field of it. */
const departures = (body: Fields, shape: Shape, field: string | undefined) =>
  field === undefined ? deviations(body, shape) : deviations(body[field], shape, field);

/** Fields outside a closed schema. Reply fields that the request type lacks are only suspected. */
export function* unknownFields(context: Closedness, shape: Shape, field?: string): Iterable<Finding> {
  for (const deviation of departures(context.body, shape, field)) {
    if (knownAnyway(context, deviation)) continue;
    if (deviation.kind === 'unknown') yield unknownParameter(deviation.path);
    if (deviation.kind === 'reply-only') yield unsure(unknownParameter(deviation.path));
  }
}

export function* missingFields({ body }: Closedness, shape: Shape, field?: string): Iterable<Finding> {
  for (const { kind, path } of departures(body, shape, field)) {
    if (kind === 'missing') yield missingParameter(path);
    if (kind === 'perhaps-missing') yield unsure(missingParameter(path));
  }
}
