import { Changes, type Edit, find, type JsonObject, type Path, parseJson, pieces, splice } from '../../json/index.ts';
import type { CallRef, Message } from '../../message/index.ts';
import type { LossNote, LossReason } from '../loss.ts';
import { argumentsText } from '../write/arguments.ts';
import { boundElsewhere, isPrefixBound } from '../write/bound.ts';
import { dropped, rewritten, synthesised } from '../write/notes.ts';
import { dropFields, dropRefused, mayHold, pathText } from '../write/refused.ts';
import { VIEW_ID } from '../write/tool-names.ts';
import type { Target, Unit } from '../write/writer.ts';
import { callProblem, nativeCalls } from './native-calls.ts';
import { saysNothing } from './native-message.ts';
import { quirk } from './quirks.ts';

const REASONING_FIELDS = ['reasoning_content', 'reasoning', 'reasoning_details'];

/** A message for its own issuer: the exact text, unless something in it is known to be refused. */
export function spliceMessage(message: Message, target: Target, options: { dropBound: boolean }): readonly Unit[] {
  const { raw, facts } = message;
  const { refusedFields } = target.provider.policies;
  const refused = quirk('sendReasoning', target) ? refusedFields : [...refusedFields, ...REASONING_FIELDS];
  const isBound = facts.needs.includes('bound');
  const elsewhere = isBound ? boundElsewhere(message, target, options.dropBound) : undefined;
  const isAsItWas =
    !elsewhere &&
    facts.needs.every((need) => need === 'bound' || need === 'surrogate') &&
    !refused.some((pattern) => mayHold(raw, pattern)) &&
    !facts.calls.some(({ id }) => id.startsWith(VIEW_ID));
  const repaired = isAsItWas ? { edits: [], losses: [], calls: facts.calls } : repair(message, refused, elsewhere);
  if (!repaired) return [];
  const { edits, losses, calls } = repaired;
  return [
    {
      role: facts.role === 'other' ? 'user' : facts.role,
      text: splice(raw, edits),
      pieces: pieces(raw, edits),
      calls,
      results: facts.results,
      ...(isBound && !elsewhere && isPrefixBound(target) && { bound: true }),
      losses,
    },
  ];
}

interface Repair {
  readonly edits: readonly Edit[];
  readonly losses: readonly LossNote[];
  readonly calls: readonly CallRef[];
}

/** What has to change in a message; undefined when nothing is left to send. */
function repair(
  { raw, content, facts, origin }: Message,
  refused: readonly string[],
  elsewhere: LossReason | undefined,
): Repair | undefined {
  const value = parseJson(raw) as JsonObject;
  const changes = new Changes();
  const losses: LossNote[] = [];
  const drop = (path: Path, reason: LossReason): void => {
    changes.drop(path);
    losses.push(dropped(pathText(path), reason));
  };
  dropRefused(raw, refused, changes, losses);
  dropFields(raw, ['cache_control', 'content.*.cache_control'], changes, (path) =>
    losses.push(rewritten(path, 'cache-marker')),
  );
  if (elsewhere) drop(['reasoning_details'], elsewhere);
  const all = nativeCalls(raw, value);
  const kept = all.filter((call, index) => {
    const { path, block, args } = call;
    const problem = callProblem(call, index === all.length - 1, origin.cut === true);
    if (problem === 'cut') {
      drop(path, problem);
      return false;
    }
    if (problem) changes.replace(args!.path, JSON.stringify(argumentsText(args!.text, pathText(args!.path), losses)));
    // A call that came without an id needs one, for its result to name; the older form has none.
    if (block.type === 'tool-use' && block.id.startsWith(VIEW_ID) && path[0] === 'tool_calls') {
      if (find(raw, [...path, 'id'])) changes.replace([...path, 'id'], JSON.stringify(block.id));
      else changes.add(path, 'id', JSON.stringify(block.id));
      losses.push(synthesised(`${pathText(path)}.id`, 'tool-id'));
    }
    return true;
  });
  // The calls are the last blocks.
  const blocks = content.slice(0, content.length - all.length);
  if (saysNothing(facts.role, [...blocks, ...kept.map(({ block }) => block)])) return undefined;
  // An empty list is refused (`tool-calls-empty`).
  if (Array.isArray(value.tool_calls) && !kept.some(({ path }) => path[0] === 'tool_calls')) {
    changes.drop(['tool_calls']);
    if (value.tool_calls.length === 0) losses.push(rewritten('tool_calls', 'empty'));
  }
  const sent = kept.map(({ block }) => 'id' in block && block.id);
  return { edits: changes.edits(raw), losses, calls: facts.calls.filter(({ id }) => sent.includes(id)) };
}
