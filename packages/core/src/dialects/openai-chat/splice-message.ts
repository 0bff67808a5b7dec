import { type JsonObject, parseJson } from '../../json/index.ts';
import { argumentsText, type OwnRules, pathText, rewritten, splicer, synthesised, VIEW_ID } from '../write/index.ts';
import { NO_THOUGHTS } from './forms.ts';
import { callProblem, nativeCalls } from './native-calls.ts';
import { saysNothing } from './native-message.ts';
import { quirk } from './quirks.ts';

const rules: OwnRules = {
  markers: ['cache_control', 'content.*.cache_control'],
  refused: (target) => (quirk('sendReasoning', target) ? [] : ['reasoning_content', 'reasoning', 'reasoning_details']),
  isDoubtful: ({ facts }, target) =>
    facts.calls.some(({ id }) => id.startsWith(VIEW_ID) || quirk('thoughtCalls', target)),
  repair({ message: { raw, content, facts, origin }, target, elsewhere, changes, losses, drop }) {
    const value = parseJson(raw) as JsonObject;
    if (elsewhere) drop(['reasoning_details'], elsewhere);
    const all = nativeCalls(raw, value);
    const kept = all.filter((call, index) => {
      const { path, block, args } = call;
      const problem = callProblem(call, index === all.length - 1, origin.cut === true);
      if (problem === 'cut') {
        drop(path, problem);
        return false;
      }
      if (problem) changes.set(args!.path, JSON.stringify(argumentsText(args!.text, pathText(args!.path), losses)));
      // A call that came without an id needs one, for its result to name; the older form has none.
      if (block.type === 'tool-use' && block.id.startsWith(VIEW_ID) && path[0] === 'tool_calls') {
        changes.set([...path, 'id'], JSON.stringify(block.id));
        losses.push(synthesised(`${pathText(path)}.id`, 'tool-id'));
      }
      return true;
    });
    // The calls are the last blocks.
    const blocks = content.slice(0, content.length - all.length);
    if (saysNothing(facts.role, [...blocks, ...kept.map(({ block }) => block)])) return undefined;
    // An empty list is refused (`tool-calls-empty`).
    if (Array.isArray(value.tool_calls) && !kept.some(({ path }) => path[0] === 'tool_calls')) {
      changes.set(['tool_calls']);
      if (value.tool_calls.length === 0) losses.push(rewritten('tool_calls', 'empty'));
    }
    const thoughts = String(quirk('reasoningField', target));
    // The provider's models may also call without thinking.
    if (kept.length > 0 && quirk('thoughtCalls', target) && typeof value[thoughts] !== 'string') {
      changes.set([thoughts], NO_THOUGHTS);
      losses.push(synthesised('', 'foreign-reasoning'));
    }
    const sent = kept.map(({ block }) => 'id' in block && block.id);
    return { calls: facts.calls.filter(({ id }) => sent.includes(id)) };
  },
};

export const spliceMessage = /* @__PURE__ */ splicer(rules);
