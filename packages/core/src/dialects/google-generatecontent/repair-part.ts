import { addMember, isObject, membersOf, splice, withoutMembers } from '../../json/index.ts';
import type { LossNote, LossReason } from '../loss.ts';
import { areArguments, argumentsText } from '../write/arguments.ts';
import { dropped, rewritten } from '../write/notes.ts';
import type { Target } from '../write/writer.ts';
import type { Call } from './calls.ts';
import type { Part } from './content.ts';
import { fieldMember, fieldText, isField } from './fields.ts';
import { isHollow, isNameless } from './needs.ts';
import { withoutFields } from './refused.ts';
import { PLACEHOLDER, placeholderNote } from './signature.ts';

interface Repairing {
  readonly raw: string;
  readonly parts: readonly Part[];
  readonly calls: readonly Call[];
  /** The call that must carry a signature, if one must. */
  readonly signed: Call | undefined;
  /** Why its signatures may not be sent, if they may not. */
  readonly elsewhere: LossReason | undefined;
  readonly target: Target;
  readonly losses: LossNote[];
}

/** The text of a part as it can be sent; undefined when it is left out. */
export function repairPart(part: Part, index: number, context: Repairing): string | undefined {
  const { raw, calls, losses } = context;
  const path = `parts[${index}]`;
  const text = raw.slice(part.start, part.end);
  if (!isObject(part.value)) return text;
  const call = calls.find((candidate) => candidate.parts.includes(index));
  if (call) return call.parts[0] === index ? repairCall(text, call, path, context) : undefined;
  if (isNameless(part)) {
    losses.push(dropped(path, 'empty', 'a part that names no function was left out'));
    return undefined;
  }
  const given = fieldText(text, 0, 'thoughtSignature');
  const signature = allowedSignature(given, path, context);
  if (isHollow(part)) {
    if (signature === undefined) {
      if (given === undefined) losses.push(dropped(path, 'empty', 'a part without any data was left out'));
      return undefined;
    }
    losses.push(rewritten(path, 'empty', 'a lone signature is sent with an empty text'));
    return splice(text, [addMember(text, 0, 'text', '""')]);
  }
  return withoutRefused(withSignature(text, signature), path, context);
}

function repairCall(text: string, call: Call, path: string, context: Repairing): string | undefined {
  const { raw, parts, losses } = context;
  if (call.cut) {
    losses.push(dropped(path, 'cut', `the call of ${call.name} never became complete`));
    return undefined;
  }
  // A streamed call may bring its signature with any of its parts.
  const given = call.parts.map((index) => fieldText(raw, parts[index]!.start, 'thoughtSignature'));
  const signature = allowedSignature(
    given.find((found) => found !== undefined),
    path,
    context,
  );
  const isUnsigned = signature === undefined && call === context.signed;
  if (isUnsigned) losses.push(placeholderNote(path));
  const whole = withArguments(text, call, path, losses);
  return withoutRefused(withSignature(whole, isUnsigned ? PLACEHOLDER : signature), path, context);
}

/** The signature text if it may be sent. */
function allowedSignature(
  given: string | undefined,
  path: string,
  { elsewhere, losses }: Repairing,
): string | undefined {
  if (given === '""') losses.push(rewritten(path, 'empty', 'an empty signature was left out'));
  else if (given === undefined || elsewhere === undefined) return given;
  else losses.push(dropped(path, elsewhere, 'a signature that is bound to something else was left out'));
  return undefined;
}

function withSignature(text: string, signature: string | undefined): string {
  const member = fieldMember(text, 0, 'thoughtSignature');
  if (member && signature !== undefined)
    return splice(text, [{ start: member.start, end: member.end, text: signature }]);
  if (member)
    return splice(
      text,
      withoutMembers(text, 0, (name) => isField(name, 'thoughtSignature')),
    );
  return signature === undefined ? text : splice(text, [addMember(text, 0, 'thoughtSignature', signature)]);
}

/** One whole call from its pieces, and a stand-in for arguments that are no object (`struct`). */
function withArguments(text: string, call: Call, path: string, losses: LossNote[]): string {
  if (!call.inPieces && areArguments(call.args)) return text;
  const args = argumentsText(call.args, `${path}.functionCall.args`, losses);
  if (call.inPieces) losses.push(rewritten(path, 'merged', 'the streamed pieces of a call are sent as one part'));
  const member = fieldMember(text, 0, 'functionCall')!;
  const others = membersOf(text, member.start)
    .filter(({ name }) => !['args', 'partialArgs', 'willContinue'].some((known) => isField(name, known)))
    .map(({ keyStart, end }) => text.slice(keyStart, end));
  const whole = `{${[...others, `"args":${args}`].join(',')}}`;
  return splice(text, [{ start: member.start, end: member.end, text: whole }]);
}

const IN_PARTS = 'parts.*.';

function withoutRefused(text: string, path: string, { target, losses }: Repairing): string {
  const refused = target.provider.policies.refusedFields.filter((name) => name.startsWith(IN_PARTS));
  const left = withoutFields(
    text,
    refused.map((name) => name.slice(IN_PARTS.length)),
  );
  if (left !== text) losses.push(rewritten(path, 'refused-field', 'a field that the provider refuses was left out'));
  return left;
}
