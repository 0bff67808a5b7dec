import type { InferRequestType, InferResponseType } from 'hono/client';
import type { api } from './client.ts';

type Client = typeof api;

export type Node = InferResponseType<Client['nodes'][':node']['$get'], 200>;
export type Take = Node['takes'][number];
export type Thread = InferResponseType<Client['threads']['$get'], 200>['items'][number];
/** A thread with those it was forked from. */
export type Lineage = InferResponseType<Client['threads'][':thread']['$get'], 200>;
export type ContextChange = InferResponseType<
  Client['threads'][':thread']['context-changes']['$get'],
  200
>['items'][number];
export type Bookmark = InferResponseType<Client['bookmarks']['$get'], 200>['items'][number];
export type Generation = InferResponseType<Client['generations'][':generation']['$get'], 200>;
export type Branch = Generation['branches'][number];
export type Usage = NonNullable<Take['usage']>;
export type TopologyNode = InferResponseType<Client['topology']['$get'], 200>['items'][number];
export type Found = InferResponseType<Client['search']['$get'], 200>['items'][number];
export type Recording = InferResponseType<Client['recordings']['$get'], 200>['items'][number];
export type Provider = InferResponseType<Client['providers']['$get'], 200>['items'][number];
export type Agent = InferResponseType<Client['agents']['$get'], 200>['items'][number];
export type Preview = InferResponseType<Client['previews']['$get'], 200>['items'][number];
export type Model = InferResponseType<Client['models']['$get'], 200>['items'][number];
export type SentRequest = InferResponseType<Client['nodes'][':node']['request']['$get'], 200>;
export type NextRequest = InferResponseType<Client['nodes'][':node']['preview']['$post'], 200>;
/** Who shall answer, and how. */
export type Wish = InferRequestType<Client['nodes'][':node']['preview']['$post']>['json'];

/** One part of a message, as the server shows it; what it has no name for is `unknown`. */
export type Block =
  | { readonly type: 'text'; readonly text: string; readonly citations?: readonly Citation[] }
  | { readonly type: 'reasoning'; readonly text: string; readonly redacted: boolean }
  | { readonly type: 'tool-use'; readonly id: string; readonly name: string; readonly rawParameters: string }
  | {
      readonly type: 'tool-result';
      readonly toolCallId: string;
      readonly content: readonly Block[];
      readonly isError: boolean;
    }
  | { readonly type: 'media'; readonly mediaType: string; readonly source: MediaSource; readonly name?: string }
  | { readonly type: 'refusal'; readonly text: string }
  | { readonly type: 'unknown'; readonly native: string };

export type MediaSource =
  | { readonly kind: 'base64'; readonly data: string }
  | { readonly kind: 'url'; readonly url: string }
  | { readonly kind: 'file'; readonly id: string };

export interface Citation {
  readonly url?: string;
  readonly title?: string;
  readonly quote?: string;
  readonly native: string;
}

export function blocksOf(node: Pick<Node, 'content'>): readonly Block[] {
  return node.content as unknown as readonly Block[];
}

/** The root of the forest; it has no node. */
export const ROOT = '0'.repeat(40);
