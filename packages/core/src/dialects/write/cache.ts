import type { Message } from '../../message/index.ts';
import type { Element } from '../manifest.ts';
import type { MergedDrafts, MessageDrafts, PlacedDraft } from './drafts.ts';
import type { BodyStart } from './reuse.ts';

/**
 * What a dialect remembers from one request to the next, so that a long history is not written, hashed and encoded
 * again with every turn. Each entry lives as long as the message, draft or element that it was made from.
 */
export class WriteCache {
  /** What a message became for the last target that it was written for. */
  readonly drafts = new WeakMap<Message, MessageDrafts>();
  /** What drafts became when they were merged, by the first of them. */
  readonly merged = new WeakMap<PlacedDraft, MergedDrafts>();
  readonly elements = new WeakMap<PlacedDraft, Element>();
  /** The prefix hash before and after an element, as it was last computed. */
  readonly prefixes = new WeakMap<Element, { readonly before: string; readonly after: string }>();
  /** The longest start of a body that was joined so far, by its first element that stands for a message. */
  readonly bodies = new WeakMap<Element, BodyStart>();
}
