import { shallow } from 'zustand/shallow';
import type { Block, Branch, Generation, GenerationEvent, Node, Notice } from '../api/types.ts';

/** A generation that is running, or that ended while this page was open. */
export interface LiveGeneration {
  readonly id: string;
  /** The node that it answers. */
  readonly node: string;
  /** The conversation it belongs to. */
  readonly thread?: string;
  readonly model: string;
  readonly status: Generation['status'];
  readonly branches: readonly LiveBranch[];
}

/** `index` tells parallel calls apart; `since` and `until` say when a thought was watched, in milliseconds. */
export type LiveBlock = Block & { readonly index?: number; readonly since?: number; readonly until?: number };

interface LiveBranch {
  /** The last complete message. */
  readonly head: string;
  readonly status: Branch['status'];
  /** The blocks of the next message that have arrived so far. */
  readonly blocks: readonly LiveBlock[];
  /** The names of running tools, by the id of their call. */
  readonly running: ReadonlyMap<string, string>;
  readonly notices: readonly Notice[];
  /** The wait before the next attempt. */
  readonly retry?: Retry;
  readonly pending?: NonNullable<Branch['pending']>;
  readonly error?: NonNullable<Branch['error']>;
}

/** A branch without its text. */
export type BranchOutline = Omit<LiveBranch, 'blocks'>;

/** A generation without its text. The text changes with every frame of a stream, all the rest a few times. */
export interface GenerationOutline extends Omit<LiveGeneration, 'branches'> {
  readonly branches: readonly BranchOutline[];
}

/** The outline of a generation: the same object as before if only text was added, so that only the text is rendered again. */
export function toOutline(live: LiveGeneration, before?: GenerationOutline): GenerationOutline {
  const branches = live.branches.map(({ blocks: _text, ...branch }, index) => {
    const known = before?.branches[index];
    return known && shallow(known, branch) ? known : branch;
  });
  const outline = { ...live, branches: before && shallow(before.branches, branches) ? before.branches : branches };
  return before && shallow(before, outline) ? before : outline;
}

/** An attempt that failed, and when the next one begins, in milliseconds of the clock of this page. */
export interface Retry {
  readonly at: number;
  readonly reason: string;
}

/** The state of a generation before its events are applied. */
export function toLiveGeneration({ id, node, thread, model, status, branches }: Generation): LiveGeneration {
  return {
    id,
    node,
    ...(thread !== undefined && { thread }),
    model,
    status,
    branches: branches.map((branch) => toLiveBranch(branch, node, status)),
  };
}

/** A generation whose process died. Only its events tell what had arrived of incomplete messages. */
export function toInterruptedGeneration(
  generation: Generation,
  events: readonly GenerationEvent[],
  nodeOf: NodeLookup,
): LiveGeneration {
  const begun = toLiveGeneration({ ...generation, status: 'running' });
  const told = events.reduce((live, event) => applyEvent(live, event, nodeOf), begun);
  const live = toLiveGeneration(generation);
  return { ...live, branches: live.branches.map((one, index) => ({ ...one, blocks: told.branches[index]!.blocks })) };
}

function toLiveBranch({ head, status, pending, error }: Branch, node: string, whole: Generation['status']): LiveBranch {
  return {
    // The events of a running generation are replayed from its beginning.
    head: whole === 'running' ? node : head,
    status,
    blocks: [],
    running: new Map(),
    notices: [],
    ...(pending && { pending }),
    ...(error && { error }),
  };
}

type NodeLookup = (id: string) => Pick<Node, 'parent' | 'takes'> | undefined;

/** Applies an event. */
export function applyEvent(live: LiveGeneration, event: GenerationEvent, nodeOf: NodeLookup): LiveGeneration {
  if (event.type === 'end') return { ...live, status: event.status, branches: live.branches.map(stopBranch) };
  const branches = live.branches.map((branch, index) =>
    index === event.branch
      ? applyToBranch(event.type === 'branch-end' ? branch : resumeBranch(branch, nodeOf), event)
      : branch,
  );
  return { ...live, branches };
}

/** Every branch reports its own end before, unless the process died. */
function stopBranch(branch: LiveBranch): LiveBranch {
  return branch.status === 'running' ? { ...withoutRetry(branch), status: 'aborted', running: new Map() } : branch;
}

/** Resumes a branch: beside a message that was cut, after one that is complete. A branch that is done stays as it is. */
export function resumeBranch(branch: LiveBranch, nodeOf: NodeLookup): LiveBranch {
  if (branch.status === 'running' || branch.status === 'done') return branch;
  const { pending: _decided, error: _over, ...rest } = branch;
  const end = nodeOf(branch.head);
  const isCut = end?.takes.some(({ cut }) => cut) ?? false;
  return { ...rest, status: 'running', blocks: [], head: isCut ? end!.parent : branch.head };
}

function applyToBranch(branch: LiveBranch, event: GenerationEvent): LiveBranch {
  switch (event.type) {
    case 'text':
    case 'reasoning':
    case 'refusal':
      return { ...withoutRetry(branch), blocks: appendText(branch.blocks, event.type, event.text) };
    case 'tool-use':
      return { ...withoutRetry(branch), blocks: [...endThought(branch.blocks), toCall(event)] };
    case 'tool-arguments':
      return { ...branch, blocks: appendArguments(branch.blocks, event.index, event.text) };
    case 'message':
      return { ...withoutRetry(branch), head: event.node, blocks: [] };
    case 'tool-start':
      return { ...branch, running: new Map(branch.running).set(event.callId, event.name) };
    case 'tool-result': {
      const running = new Map(branch.running);
      running.delete(event.callId);
      return { ...branch, running };
    }
    case 'retry':
      return { ...branch, retry: { at: Date.now() + event.waitMs, reason: event.reason } };
    case 'notice':
      return { ...branch, notices: [...branch.notices, event.notice] };
    case 'branch-end': {
      const { head, status, pending, error } = event.state;
      return {
        ...withoutRetry(branch),
        head,
        status,
        blocks: [],
        ...(pending && { pending }),
        ...(error && { error }),
      };
    }
    case 'approval':
    case 'end':
    case 'unknown':
      return branch;
    default:
      return ignore(event, branch);
  }
}

/** The compiler says so when a kind of event has no case above; one of a newer server changes nothing here. */
function ignore(_event: never, branch: LiveBranch): LiveBranch {
  return branch;
}

function withoutRetry({ retry: _over, ...branch }: LiveBranch): LiveBranch {
  return branch;
}

function toCall({ index, id, name }: Extract<GenerationEvent, { type: 'tool-use' }>): LiveBlock {
  return { type: 'tool-use', index, id, name, rawParameters: '' };
}

/** A thought ends where another block begins. */
function endThought(blocks: readonly LiveBlock[]): readonly LiveBlock[] {
  const last = blocks.at(-1);
  return last?.type === 'reasoning' ? [...blocks.slice(0, -1), { ...last, until: Date.now() }] : blocks;
}

function appendText(
  blocks: readonly LiveBlock[],
  type: 'text' | 'reasoning' | 'refusal',
  text: string,
): readonly LiveBlock[] {
  const last = blocks.at(-1);
  if (last?.type === type) return [...blocks.slice(0, -1), { ...last, text: last.text + text }];
  const before = endThought(blocks);
  return [...before, type === 'reasoning' ? { type, text, redacted: false, since: Date.now() } : { type, text }];
}

function appendArguments(blocks: readonly LiveBlock[], index: number, text: string): readonly LiveBlock[] {
  return blocks.map((block) =>
    block.type === 'tool-use' && block.index === index
      ? { ...block, rawParameters: block.rawParameters + text }
      : block,
  );
}
