export { canonical } from './canonical.ts';
export { Changes } from './changes.ts';
export { digest } from './digest.ts';
export { JsonTextError } from './error.ts';
export { MAX_DEPTH, MAX_LENGTH } from './limits.ts';
export { type MergeRule, mergeDelta, overlaid } from './merge.ts';
export { isJson, isObject, isText, type JsonObject, parseJson } from './parse.ts';
export { endOfValue, type Range, skipSpace } from './scan.ts';
export { elementsIn, elementsOf, elementTexts, find, membersOf, type Path, textAt } from './slice.ts';
export {
  addMember,
  type Edit,
  pieces,
  prependElements,
  removals,
  splice,
  withoutMembers,
} from './splice.ts';
export { loneSurrogates } from './surrogates.ts';
export {
  getMember,
  type ListNode,
  leafNode,
  listNode,
  memberIn,
  parseTree,
  printTree,
  type RecordNode,
  recordNode,
  setMember,
  type TextNode,
  type Tree,
  type TreeMember,
  textNode,
} from './tree.ts';
