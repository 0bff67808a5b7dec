export { dropped, rewritten, synthesised } from '../loss.ts';
export { areArguments, argumentsText, dataUrl, inlined, joinedTexts, objectIn, stringText } from './content.ts';
export { isOwn } from './drafts.ts';
export { type BodyMember, frameText, membersText, systemTexts, toolTexts } from './frame.ts';
export {
  explodeParts,
  gatherParts,
  type OwnRules,
  type PartForms,
  pathText,
  type Repair,
  splicer,
} from './own-message.ts';
export { NO_CALLS, VIEW_ID, viewId } from './tool-calls.ts';
export { type Forms, type Said, translator } from './translate.ts';
export type { CallLookup, Draft, Frame, FrameParts, RequestWriter, Target } from './writer.ts';
