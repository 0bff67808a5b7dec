import { find, isObject, type JsonObject, type Path, parseJson, pieces, splice } from '../../json/index.ts';
import type { Message } from '../../message/index.ts';
import type { LossNote } from '../loss.ts';
import { argumentsText } from '../write/arguments.ts';
import { boundElsewhere, isPrefixBound } from '../write/bound.ts';
import { dropped, rewritten, synthesised } from '../write/notes.ts';
import { VIEW_ID } from '../write/tool-names.ts';
import type { Target, Unit } from '../write/writer.ts';
import { Changes } from './json-changes.ts';
import { callProblem, type NativeCall, nativeCalls } from './native-calls.ts';
import { cacheMarkers, isEmptyMessage } from './native-message.ts';
import { quirk } from './quirks.ts';
import { mayHoldField, refusedPaths } from './refused-fields.ts';

const REASONING_FIELDS = ['reasoning_content', 'reasoning', 'reasoning_details'];
const REPAIRED: ReadonlySet<string> = new Set(['empty', 'arguments', 'cut', 'cache']);

/** A message for its own issuer: the exact text, unless something in it is known to be refused. */
export function spliceMessage(
  message: Message,
  target: Target,
  { dropBound }: { readonly dropBound: boolean },
): readonly Unit[] {
  const { raw, facts } = message;
  const refused = refusedFields(target).filter((pattern) => mayHoldField(raw, pattern));
  const boundTo = facts.needs.includes('bound') ? boundElsewhere(message, target, dropBound) : undefined;
  const asItIs =
    refused.length === 0 &&
    boundTo === undefined &&
    !facts.needs.some((need) => REPAIRED.has(need)) &&
    !facts.calls.some((call) => call.id.startsWith(VIEW_ID));
  if (asItIs) return [ownUnit(message, target)];

  const value = parseJson(raw);
  if (!isObject(value)) return [ownUnit(message, target)];
  const repair = new Repair(raw, value);
  for (const pattern of refused) repair.refuse(pattern);
  if (boundTo !== undefined)
    repair.drop(['reasoning_details'], dropped('reasoning_details', boundTo, 'these thoughts are not valid here'));
  if (facts.needs.includes('cache')) repair.dropMarkers();
  const left = repair.repairCalls(message.origin.cut === true);
  if (isEmptyMessage(value, left.length)) return [];
  const edits = repair.changes.edits(raw);
  const sent = new Set(left.map(({ block }) => (block.type === 'tool-use' ? block.id : undefined)));
  const unit = ownUnit(message, target, boundTo === undefined);
  return [
    {
      ...unit,
      text: splice(raw, edits),
      pieces: pieces(raw, edits),
      calls: facts.calls.filter((call) => sent.has(call.id)),
      losses: repair.losses,
    },
  ];
}

function ownUnit(message: Message, target: Target, holdsBound = true): Unit {
  const { role, calls, results, needs } = message.facts;
  const bound = holdsBound && needs.includes('bound') && isPrefixBound(target);
  return {
    role: role === 'other' ? 'user' : role,
    text: message.raw,
    pieces: [{ start: 0, end: message.raw.length }],
    calls,
    results,
    ...(bound && { bound }),
    losses: [],
  };
}

function refusedFields(target: Target): readonly string[] {
  const { refusedFields: fields } = target.provider.policies;
  return quirk('sendReasoning', target) === false ? [...fields, ...REASONING_FIELDS] : fields;
}

/** What has to change in one message, and what to say about it. */
class Repair {
  readonly changes = new Changes();
  readonly losses: LossNote[] = [];
  readonly #raw: string;
  readonly #message: JsonObject;

  constructor(raw: string, message: JsonObject) {
    this.#raw = raw;
    this.#message = message;
  }

  drop(path: Path, note: LossNote): void {
    this.changes.drop(path);
    this.losses.push(note);
  }

  refuse(pattern: string): void {
    for (const path of refusedPaths(this.#message, pattern))
      this.drop(path, dropped(pathText(path), 'refused-field', 'the provider refuses this field of its own messages'));
  }

  dropMarkers(): void {
    for (const path of cacheMarkers(this.#message))
      this.drop(path, rewritten(pathText(path), 'cache-marker', 'cache markers are placed anew for each request'));
  }

  /** Repairs the calls and gives those that can be sent. */
  repairCalls(cut: boolean): NativeCall[] {
    const calls = nativeCalls(this.#raw, this.#message);
    const left = calls.filter((call, index) =>
      this.#repairCall(call, callProblem(call, index === calls.length - 1, cut)),
    );
    // An empty list is refused (`tool-calls-empty`).
    const listed = this.#message.tool_calls;
    if (Array.isArray(listed) && left.every((call) => call.kind === 'legacy')) {
      this.changes.drop(['tool_calls']);
      if (listed.length === 0) this.losses.push(rewritten('tool_calls', 'empty', 'an empty list of calls is left out'));
    }
    return left;
  }

  #repairCall(call: NativeCall, problem: 'cut' | 'arguments' | undefined): boolean {
    if (problem === 'cut') {
      this.drop(call.path, dropped(pathText(call.path), 'cut', 'the stream ended before the call was complete'));
      return false;
    }
    if (problem === 'arguments' && call.arguments !== undefined) {
      const path = [...call.path, ...(call.kind === 'legacy' ? [] : ['function']), 'arguments'];
      const standIn = argumentsText(call.arguments, pathText(path), this.losses);
      this.changes.replace(path, JSON.stringify(standIn));
    }
    if (call.block.type === 'tool-use' && call.kind !== 'legacy' && call.block.id.startsWith(VIEW_ID))
      this.#addId(call.path, call.block.id);
    return true;
  }

  /** A call that came without an id needs one, for its result to name. */
  #addId(path: Path, id: string): void {
    if (find(this.#raw, [...path, 'id'])) this.changes.replace([...path, 'id'], JSON.stringify(id));
    else this.changes.add(path, 'id', JSON.stringify(id));
    this.losses.push(synthesised(`${pathText(path)}.id`, 'tool-id', 'the call came without an id; it is given one'));
  }
}

function pathText(path: Path): string {
  return path
    .map((step) => (typeof step === 'number' ? `[${step}]` : `.${step}`))
    .join('')
    .replace(/^\./, '');
}
