/** What one deployment of one API can recognise as its own. */
import type { Json } from '../json.ts';
import type { Protocol } from '../protocol.ts';
import type { ResponsesMemory } from '../rules/openai-responses/context.ts';
import type { Issued } from '../rules/verdict.ts';
import { ownFields } from './own-fields.ts';
import { createSealer, type Sealer } from './seal.ts';

/** Something the emulator is told to recognise although it did not issue it. */
export type Known =
  | ({ readonly signature: string } & Issued)
  | { readonly stored: string; readonly openCalls?: readonly string[] }
  | { readonly field: string };

interface StoredResponse {
  readonly response: Json;
  /** The whole conversation up to and with this response. */
  readonly items: readonly Json[];
  readonly input: readonly Json[];
}

export interface ProviderMemory extends ResponsesMemory {
  readonly sealer: Sealer;
  register(known: Known): void;
  /** Remembers the fields of a message it issued. */
  issueFields(message: Json): void;
  /** Remembers which item was produced directly behind which reasoning item. */
  issueItems(items: readonly Json[]): void;
  /** `store: true` */
  keep(id: string, stored: StoredResponse): void;
  kept(id: string): StoredResponse | undefined;
  forget(id: string): boolean;
}

const idOf = ({ id }: Json): string => `${id}`;
const callsOf = (items: readonly Json[]) =>
  items.filter(({ type }) => type === 'function_call').map((item) => `${item.call_id}`);

/** Calls without an output. */
function openCalls(items: readonly Json[]): readonly string[] {
  const answered = new Set(items.filter(({ type }) => `${type}`.endsWith('_output')).map((item) => item.call_id));
  return callsOf(items).filter((id) => !answered.has(id));
}

export function createMemory(protocol: Protocol, secret: string): ProviderMemory {
  const sealer = createSealer(secret);
  const signatures = new Map<string, Issued>();
  const fields = new Set<string>();
  const ids = new Map<string, readonly string[] | undefined>();
  const after = new Map<string, string>();
  const before = new Map<string, string>();
  const responses = new Map<string, StoredResponse>();
  return {
    sealer,
    issued: (value) => signatures.get(value) ?? sealer.open(value),
    stored: (id) => ids.has(id) || responses.has(id),
    ownField: (path) => fields.has(path),
    following: (id) => after.get(id),
    reasoningOf: (id) => before.get(id),
    openCalls: (id) => {
      const response = responses.get(id);
      return response ? openCalls(response.items) : ids.get(id);
    },
    register(known) {
      if ('field' in known) fields.add(known.field);
      else if ('stored' in known) ids.set(known.stored, known.openCalls);
      else {
        const { signature, ...issued } = known;
        signatures.set(signature, issued);
      }
    },
    issueFields(message) {
      for (const field of ownFields[protocol](message)) fields.add(field);
    },
    issueItems(items) {
      for (const [index, item] of items.entries()) {
        const next = items[index + 1];
        if (item.type !== 'reasoning' || next === undefined) continue;
        after.set(idOf(item), idOf(next));
        before.set(idOf(next), idOf(item));
      }
    },
    keep(id, stored) {
      responses.set(id, stored);
      for (const item of stored.items) if (typeof item.id === 'string') ids.set(item.id, []);
    },
    kept: (id) => responses.get(id),
    forget: (id) => responses.delete(id),
  };
}
