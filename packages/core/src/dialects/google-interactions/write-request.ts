import { textAt } from '../../json/index.ts';
import type { MediaBlock, Message } from '../../message/index.ts';
import { dropped, type LossNote, rewritten } from '../loss.ts';
import { NO_CALLS } from '../write/drafts.ts';
import { type BodyMember, joinFrame, readSystemTexts, writeTools } from '../write/frame.ts';
import { formatPath, makeSplicer, type OwnRules, outsideOfList } from '../write/own-message.ts';
import {
  joinTexts,
  type MessageFormat,
  makeTranslator,
  type PortableBlock,
  type PortableContent,
  toArguments,
} from '../write/translate.ts';
import type { Frame, FrameParts, RequestWriter, Target } from '../write/writer.ts';
import { DIALECT } from './provider.ts';
import {
  hasBrokenArguments,
  hasEmptySignature,
  isHollow,
  isIncomplete,
  isSigned,
  storeText,
  writeParams,
} from './rules.ts';
import { hasType, inputText, readSteps } from './steps.ts';

const format: MessageFormat = {
  /** Text and calls of the model become steps of their own, in their order. */
  message(role, said) {
    // Nobody else calls.
    if (role !== 'assistant') return { text: inputText(contentList(said as readonly PortableContent[])) };
    const steps: string[] = [];
    let contents: PortableContent[] = [];
    for (const one of [...said, undefined]) {
      if (one && one.type !== 'call') {
        contents.push(one);
        continue;
      }
      if (contents.length > 0) steps.push(`{"type":"model_output","content":${contentList(contents)}}`);
      if (one) steps.push(callStep(one));
      contents = [];
    }
    return { text: steps.join(',') };
  },
  result({ id, name, isError, said }) {
    const [only] = said;
    const result = said.length > 1 || only?.type === 'media' ? contentList(said) : (only?.json ?? '""');
    const members = `"call_id":${JSON.stringify(id)},"name":${JSON.stringify(name)}`;
    return { text: `{"type":"function_result",${members},"result":${result}${isError ? ',"is_error":true' : ''}}` };
  },
  media: mediaContent,
};

const { translate, result, userText } = /* @__PURE__ */ makeTranslator(format);

/** Interactions have no cache markers: the API caches automatically. */
export const writer: RequestWriter = {
  splice(message, target, options) {
    return message.facts.role === 'system'
      ? translate(message, target, NO_CALLS)
      : spliceSteps(message, target, options);
  },
  translate,
  result,
  userText,
  merge: () => undefined,
  resultsFollow: 'message',
  callsFollowUser: true,
  continues: ({ previous_interaction_id: previous = 'null' }) => previous !== 'null',
  frame,
};

function contentList(said: readonly PortableContent[]): string {
  const contents = said.map((one) => (one.type === 'media' ? one.part : `{"type":"text","text":${one.json}}`));
  return `[${contents.join(',')}]`;
}

function callStep({ id, name, args }: PortableBlock & { type: 'call' }): string {
  return `{"type":"function_call","id":${JSON.stringify(id)},"name":${JSON.stringify(name)},"arguments":${args}}`;
}

/** Media as a content. Data requires an exact type, and a file requires a URI. */
export function mediaContent({ mediaType, source }: MediaBlock): string | undefined {
  const [kind] = mediaType.split('/', 1);
  const type = kind === 'image' || kind === 'audio' || kind === 'video' ? kind : 'document';
  const isExact = !mediaType.endsWith('/*');
  const head = `{"type":"${type}"${isExact ? `,"mime_type":${JSON.stringify(mediaType)}` : ''}`;
  if (source.kind === 'base64') return isExact ? `${head},"data":${JSON.stringify(source.data)}}` : undefined;
  const uri = source.kind === 'file' ? source.id : source.url;
  return uri.includes(':') ? `${head},"uri":${JSON.stringify(uri)}}` : undefined;
}

/** Changes a message of this API into one that it takes back; returns undefined if nothing is left to send. */
const repair: OwnRules['repair'] = ({ message, elsewhere, changes, losses, drop }) => {
  const { steps, isTurn } = readSteps(message.raw);
  if (steps.length === 0 || (!isTurn && isHollow(steps[0]!.value))) return undefined;
  const kept = steps.filter(({ value }, index) => {
    const at = isTurn ? [index] : [];
    const isLost = message.origin.cut === true && isIncomplete(value);
    const isBound = hasType(value, 'thought') && isSigned(value) && elsewhere;
    if (isLost || isHollow(value) || isBound) {
      drop(at, isBound || (isLost ? 'cut' : 'empty'));
      return false;
    }
    const signature = [...at, 'signature'];
    if (isSigned(value) && elsewhere) drop(signature, elsewhere);
    else if (hasEmptySignature(value)) {
      changes.set(signature);
      losses.push(rewritten(formatPath(signature), 'empty'));
    }
    if (hasBrokenArguments(value)) {
      const path = [...at, 'arguments'];
      const { arguments: args } = value as { readonly arguments?: unknown };
      const given = typeof args === 'string' ? args : (JSON.stringify(args) ?? '');
      changes.set(path, toArguments(given, formatPath(path), losses));
    }
    return true;
  });
  const callers = steps.filter(({ value }) => hasType(value, 'function_call') && typeof value.name === 'string');
  return { calls: message.facts.calls.filter((_, index) => kept.includes(callers[index]!)) };
};

const spliceSteps = /* @__PURE__ */ makeSplicer({ repair, outside: outsideOfList });

/** Writes the body around the steps. An `agent` in `extra` takes the place of the model. */
function frame({ system, tools, params, extra }: FrameParts, target: Target): Frame {
  const losses: LossNote[] = [];
  const instruction = instructionText(system, losses);
  const texts = writeTools(tools, target, losses, ({ members, parameters }) => {
    return `{"type":"function",${members},"parameters":${parameters}}`;
  });
  const declared = texts.length > 0 ? `[${texts.join(',')}]` : undefined;
  const head: BodyMember[] = [
    ['model', 'agent' in extra ? undefined : JSON.stringify(target.model)],
    ['system_instruction', instruction],
    ['tools', declared],
  ];
  const tail: BodyMember[] = [
    ['store', storeText(target, extra)],
    ...writeParams(params, declared !== undefined || 'tools' in extra, target, losses),
  ];
  const isFormatted = 'response_format' in extra && params.modalities !== undefined;
  if (isFormatted) losses.push(dropped('params.modalities', 'parameter'));
  return {
    ...joinFrame(head, 'input', tail, extra),
    lead: [],
    base: `${instruction ?? ''}\n${declared ?? ''}`,
    losses,
  };
}

/** A single instruction of this dialect keeps its exact text. */
function instructionText(system: readonly Message[], losses: LossNote[]): string | undefined {
  const [only] = system;
  const own = system.length === 1 && only!.origin.dialect === DIALECT ? textAt(only!.raw, ['content']) : undefined;
  if (own?.startsWith('"')) return own;
  const texts = system.flatMap((message, index) => readSystemTexts(message, `system[${index}]`, losses));
  return texts.length > 0 ? joinTexts(texts) : undefined;
}
