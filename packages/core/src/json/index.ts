// JSON as text: parsing within limits, finding and editing values in place, and trees that keep every spelling.
export { canonical } from './canonical.ts';
export { digest } from './digest.ts';
export { isJson, isObject, isText, type JsonObject, parseJson } from './parse.ts';
export { endOfValue, JsonTextError, MAX_DEPTH, MAX_LENGTH, type Range, skipSpace } from './scan.ts';
export { elementTexts, find, findElements, findMembers, mapElements, type Path, textAt } from './slice.ts';
export {
  addMember,
  Changes,
  type Edit,
  findLoneSurrogates,
  pieces,
  prependElements,
  removeItems,
  removeMembers,
  splice,
} from './splice.ts';
export {
  ensureMember,
  getMember,
  type ListNode,
  leafNode,
  listNode,
  type MergeRule,
  mergeDelta,
  overlay,
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
