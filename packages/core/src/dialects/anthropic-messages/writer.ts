import { forModel } from '../provider.ts';
import { dropped, explodeParts, gatherParts, isOwn, NO_CALLS, type RequestWriter, translator } from '../write/index.ts';
import { forms } from './forms.ts';
import { mark } from './mark.ts';
import { partForms } from './part-forms.ts';
import { spliceMessage } from './repair.ts';
import { settleServerTools } from './server-tools.ts';
import { beginsUnthought, trimEnd } from './tail.ts';
import { frame } from './write-frame.ts';
import { defaultMaxTokens, forcesTool, thinksBy } from './write-params.ts';

const { translate, result, userText } = /* @__PURE__ */ translator(forms);

/** Results follow the whole turn: the API joins the messages of a turn before it looks for them (recorded). */
export const writer: RequestWriter = {
  splice(message, target, options) {
    const isRefused =
      message.facts.role === 'system' && forModel(target.provider.policies.inlineSystem, target.model) === 'never';
    return isRefused ? translate(message, target, NO_CALLS) : spliceMessage(message, target, options);
  },
  translate(message, target, calls) {
    const isTakenApart = message.role !== 'assistant' && message.role !== 'system' && isOwn(message, target);
    return isTakenApart
      ? explodeParts(spliceMessage(message, target, { dropBound: false }), calls, partForms)
      : translate(message, target, calls);
  },
  result,
  userText,
  gather: (units) => gatherParts(units, partForms),
  resultsFollow: 'turn',
  mark,
  trimEnd,
  settle: settleServerTools,
  fitParams(target, count, textOf, losses) {
    const { params } = target;
    if (params.reasoning?.budget === undefined || thinksBy(target.provider, target.model) === 'effort') return params;
    const why = forcesTool(params) ? 'thinking-forced-tool' : beginsUnthought(count, textOf) && 'thinking-first';
    if (!why) return params;
    losses.push(dropped('params.reasoning', 'parameter', why));
    const { reasoning: _, ...others } = params;
    return others;
  },
  frame,
  defaultMaxTokens,
};
