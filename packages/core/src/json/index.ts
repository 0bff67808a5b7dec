export { canonical } from './canonical.ts';
export { digest } from './digest.ts';
export { isJson, isObject, isText, type JsonObject, parseJson } from './parse.ts';
export { endOfValue, JsonTextError, MAX_DEPTH, MAX_LENGTH, type Range, skipSpace } from './scan.ts';
export { elementsIn, elementsOf, elementTexts, find, membersOf, type Path, textAt } from './slice.ts';
export {
  addMember,
  Changes,
  type Edit,
  loneSurrogates,
  pieces,
  prependElements,
  removals,
  splice,
  withoutMembers,
} from './splice.ts';
export {
  getMember,
  type ListNode,
  leafNode,
  listNode,
  type MergeRule,
  memberIn,
  mergeDelta,
  overlaid,
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
