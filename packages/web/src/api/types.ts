import type { Block } from '@skein/server/client';
import type { InferRequestType, InferResponseType } from 'hono/client';
import type { api } from './client.ts';

type Client = typeof api;

export type Node = InferResponseType<Client['nodes'][':node']['$get'], 200>;
export type Take = Node['takes'][number];
export type Thread = InferResponseType<Client['threads']['$get'], 200>['items'][number];
/** A thread with the ids of those that it was forked from. */
export type Lineage = InferResponseType<Client['threads'][':thread']['$get'], 200>;
export type ContextChange = InferResponseType<
  Client['threads'][':thread']['context-changes']['$get'],
  200
>['items'][number];
export type Summary = InferResponseType<Client['summaries']['$get'], 200>['items'][number];
/** A session of a coding agent, step by step. */
type SessionView = InferResponseType<Client['threads'][':thread']['session']['$get'], 200>;
export type SessionLane = SessionView['main'];
export type SessionStep = SessionLane['steps'][number];
export type Bookmark = InferResponseType<Client['bookmarks']['$get'], 200>['items'][number];
export type Generation = InferResponseType<Client['generations'][':generation']['$get'], 200>;
export type Branch = Generation['branches'][number];
export type Usage = NonNullable<Take['usage']>;
export type TopologyNode = InferResponseType<Client['topology']['$get'], 200>['items'][number];
export type SearchHit = InferResponseType<Client['search']['$get'], 200>['items'][number];
export type Recording = InferResponseType<Client['recordings']['$get'], 200>['items'][number];
export type Provider = InferResponseType<Client['providers']['$get'], 200>['items'][number];
export type DailyUsage = InferResponseType<Client['usage']['days']['$get'], 200>['items'][number];
export type FileProblem = InferResponseType<Client['settings']['$get'], 200>['problems'][number];
export type Agent = InferResponseType<Client['agents']['$get'], 200>['items'][number];
export type Preview = InferResponseType<Client['previews']['$get'], 200>['items'][number];
export type Model = InferResponseType<Client['models']['$get'], 200>['items'][number];
export type SentRequest = InferResponseType<Client['nodes'][':node']['request']['$get'], 200>;
export type NextRequest = InferResponseType<Client['nodes'][':node']['preview']['$post'], 200>;
/** Something that a request does not carry as it is stored. */
export type RequestLoss = NonNullable<SentRequest['losses']>[number];
/** The model, agent, tools and parameters to answer with. */
export type RequestOptions = InferRequestType<Client['nodes'][':node']['preview']['$post']>['json'];

/** Parts of a message and of what happens in a generation: the server defines them, the page infers them. */
export type { Block, GenerationEvent, Loss, Notice } from '@skein/server/client';
export type ToolUse = Extract<Block, { type: 'tool-use' }>;
export type ToolResult = Extract<Block, { type: 'tool-result' }>;
export type Media = Extract<Block, { type: 'media' }>;
export type Citation = NonNullable<Extract<Block, { type: 'text' }>['citations']>[number];

/** The root of the forest; it has no node. */
export const ROOT = '0'.repeat(40);
