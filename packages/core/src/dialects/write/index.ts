export { dropped, rewritten, synthesised } from '../loss.ts';
export {
  areArguments,
  inlineDataUrl,
  joinTexts,
  parseObject,
  toArguments,
  toDataUrl,
  toJsonString,
} from './content.ts';
export { isOwn } from './drafts.ts';
export { type BodyMember, joinFrame, joinMembers, readSystemTexts, writeTools } from './frame.ts';
export {
  formatPath,
  makeSplicer,
  mergeParts,
  type OwnRules,
  type PartListFormat,
  type Repair,
  splitParts,
} from './own-message.ts';
export { NO_CALLS, VIEW_ID, viewId } from './tool-calls.ts';
export { type MessageFormat, makeTranslator, type PortableBlock } from './translate.ts';
export type { CallLookup, Draft, Frame, FrameParts, RequestWriter, Target } from './writer.ts';
