/** Authentication and what the proto mapping refuses by itself. */
import { type Context, isOwn } from './context.ts';
import type { Fault } from './proto-json.ts';
import type { Broken, Rule } from './rule.ts';

/** Google reports all faults of a kind at once. */
function report(faults: readonly Fault[]): Broken | undefined {
  if (faults.length === 0) return undefined;
  return {
    message: faults.map(({ message }) => message).join('\n'),
    violations: faults.map(({ path, message }) => ({ ...(path !== '' && { field: path }), description: message })),
  };
}

const isSystem = ({ path }: Fault): boolean => path === 'system_instruction';
const isSignature = ({ path }: Fault): boolean => path.endsWith('.thought_signature');
const ofKind =
  (kind: Fault['kind'], also: (fault: Fault) => boolean = () => true): Rule['check'] =>
  ({ faults }) =>
    report(faults.filter((fault) => fault.kind === kind && also(fault)));

const unknownFields = (context: Context): Broken | undefined =>
  report(context.faults.filter((fault) => fault.kind === 'unknown' && !isOwn(context, fault)));

export const schemaRules: readonly Rule[] = [
  {
    id: 'auth',
    status: 403,
    check: ({ request: { headers } }) =>
      headers && !headers['x-goog-api-key'] && !headers.authorization
        ? "Method doesn't allow unregistered callers (callers without established identity). Please use API Key or other form of API consumer identity to call this API."
        : undefined,
  },
  { id: 'unknown-field', check: unknownFields },
  { id: 'system-type', check: ofKind('type', isSystem) },
  { id: 'struct', check: ofKind('struct') },
  { id: 'sig-base64', check: ofKind('bytes', isSignature) },
  { id: 'oneof-many', check: ofKind('oneof') },
  {
    // Not in wire-rules.md: a known field with a value of the wrong type.
    id: 'type',
    check: ({ faults }) =>
      report(
        faults.filter(
          (fault) => (fault.kind === 'type' && !isSystem(fault)) || (fault.kind === 'bytes' && !isSignature(fault)),
        ),
      ),
  },
];
