import { loadDialectsIn } from '../dialects/registry.ts';
import { checkNames } from '../dialects/request.ts';
import { checkMessages, type Message, user } from '../message/index.ts';
import { parseModel, realClock, resolveEndpoint } from '../providers/index.ts';
import { leadingSystem } from '../run/compaction/checkpoint.ts';
import {
  type Notice,
  type ObserverEvent,
  type Run,
  type RunEvent,
  type RunOptions,
  type RunResult,
  run,
} from '../run/index.ts';
import { OPTION_NAMES } from '../run/options.ts';
import {
  type ChatState,
  ConversationStateError,
  type DiscardedState,
  digestPrefix,
  newState,
  type Partner,
  prefixChanges,
  readChatState,
  type StateText,
  writeState,
} from './chat-state.ts';
import { MessageList } from './message-list.ts';
import { decodeSaved, stripFrame } from './saved-messages.ts';

/** The options of `run`, without those that the state provides. */
export interface ChatOptions extends Omit<RunOptions, 'system' | 'messages' | 'previous' | 'checkpoints' | 'output'> {
  /**
   * What to do with a state of another provider: `translate` (the default) continues the conversation, `discard` starts a
   * new one and returns the state as `discarded`, `throw` throws a `ConversationStateError`. A state that cannot be read is
   * discarded, or thrown with `throw`.
   */
  readonly onMismatch?: 'discard' | 'translate' | 'throw' | undefined;
}

/** The result of a run, and the state to keep. */
export interface ChatResult extends RunResult {
  /** An opaque text. Keep it as it is, and pass it to the next call. */
  readonly state: string;
  /** The given state, if it could not be used. */
  readonly discarded: DiscardedState | undefined;
}

/** A run whose result has the new state. Its response for the web does not have it. */
export interface ChatRun extends Omit<Run, 'result' | typeof Symbol.asyncIterator> {
  readonly result: Promise<ChatResult>;
  [Symbol.asyncIterator](): AsyncIterator<ChatEvent>;
}

/** The events of a run; the last one has the new state. */
export type ChatEvent =
  | Exclude<RunEvent, { type: 'finish' }>
  | { readonly type: 'finish'; readonly result: ChatResult };

/**
 * A conversation as one opaque text: each call takes a state and returns the next one. System messages at the front of a
 * call are sent first and never stored; all other messages are stored.
 *
 * @example
 * const chat = new Chat({ model: 'anthropic/claude-sonnet-5' });
 * const { text, state } = await chat.chatWithState(null, [user('Hello')]);
 * const next = await chat.chatWithState(state, [user('Go on')]);
 */
export class Chat {
  readonly #options: ChatOptions;

  constructor(options: ChatOptions) {
    this.#options = Object.freeze({ ...checkOptions(options) });
  }

  /** One answer, without state. */
  async chat(messages: Iterable<Message>, more: Partial<ChatOptions> = {}): Promise<RunResult> {
    const { state: _, discarded: __, ...result } = await this.chatWithState(null, messages, more);
    return result;
  }

  /** Continues from a state. `more` are options for this call alone, such as `signal` or `approvals`. */
  async chatWithState(
    state: StateText,
    messages: Iterable<Message>,
    more: Partial<ChatOptions> = {},
  ): Promise<ChatResult> {
    await loadDialectsIn(state);
    return this.streamWithState(state, messages, more).result;
  }

  /** Like `chatWithState`, as events, with the same result. Dialects that the main entry leaves out must be loaded before. */
  streamWithState(state: StateText, messages: Iterable<Message>, more: Partial<ChatOptions> = {}): ChatRun {
    const options = { ...this.#options, ...checkOptions(more) };
    return startChat(openState(state, options), checkMessages(messages), options);
  }

  /** Adds messages to a state without a request. A state that cannot be read is kept inside the new one, and the next call reports it. */
  appendToState(state: StateText, messages: Iterable<Message>): string {
    const { state: opened, discarded } = readOrDiscard(state, this.#options);
    return writeState({ ...opened, list: opened.list.copy().extend(checkMessages(messages)), discarded });
  }

  /** Adds something that happened, as a user message. */
  updateStateAfterEvent(state: StateText, text: string): string {
    return this.appendToState(state, [user(text)]);
  }
}

/** Options that the state or the call provides; as options they would be ignored silently. */
const EXCLUDED = new Set(['system', 'messages', 'previous', 'checkpoints', 'output']);

const NAMES = /* @__PURE__ */ ['onMismatch', ...OPTION_NAMES.split(' ').filter((name) => !EXCLUDED.has(name))].join(
  ' ',
);

const MISMATCH_CHOICES: ReadonlySet<unknown> = new Set([undefined, 'discard', 'translate', 'throw']);

function checkOptions<T extends Partial<ChatOptions>>(options: T): T {
  if ((options as { system?: unknown }).system !== undefined)
    throw new TypeError('A chat has no option "system"; give system(...) as the first message of each call');
  checkNames('option', options, NAMES);
  if (!MISMATCH_CHOICES.has(options.onMismatch))
    throw new TypeError('onMismatch must be "discard", "translate" or "throw"');
  return options;
}

/** Sends the leading system messages of this call, the stored history, and the other messages of this call. */
function startChat(
  { state, partner, ...opened }: OpenedState,
  given: readonly Message[],
  options: ChatOptions,
): ChatRun {
  const { onMismatch: _, ...runOptions } = options;
  const leading = leadingSystem(given);
  const system = given.slice(0, leading);
  const prefix = digestPrefix(system, options.tools);
  const changes = prefixChanges(state.prefix, prefix);
  for (const change of changes) notifyObserver(options, change);
  const notices = [...opened.notices, ...changes];
  const history = [...state.list, ...given.slice(leading)];
  const running = run({
    ...runOptions,
    system,
    messages: history,
    previous: state.list.manifest,
    checkpoints: state.list.checkpoints,
  });

  const result = running.result.then((done): ChatResult => {
    const asked = done.steps.length > 0;
    const after: ChatState = {
      with: partner ?? state.with,
      list: makeList([...history, ...done.messages], done),
      seen: asked ? countSeen(history, done) : state.seen,
      prefix: asked ? prefix : state.prefix,
      discarded: undefined,
    };
    return { ...done, notices: [...notices, ...done.notices], state: writeState(after), discarded: opened.discarded };
  });
  // A caller who iterates gets the failure there.
  result.catch(() => {});

  async function* events(): AsyncGenerator<ChatEvent, void, undefined> {
    for (const notice of notices) yield { type: 'notice', notice };
    for await (const event of running) yield event.type === 'finish' ? { type: 'finish', result: await result } : event;
  }
  return { ...running, result, [Symbol.asyncIterator]: events };
}

function makeList(messages: readonly Message[], { manifest, checkpoints }: RunResult): MessageList {
  const list = new MessageList(messages, stripFrame(manifest));
  list.checkpoints = checkpoints;
  return list;
}

/** How many messages the model has seen: up to its last reply; the tool results after it were not sent yet. */
function countSeen(history: readonly Message[], { messages }: RunResult): number {
  return history.length + messages.findLastIndex(({ role }) => role === 'assistant') + 1;
}

interface UsableState {
  readonly state: ChatState;
  readonly discarded: DiscardedState | undefined;
  readonly notices: readonly Notice[];
}

interface OpenedState extends UsableState {
  /** The provider that will be asked. */
  readonly partner: Partner | undefined;
}

/** The state to continue from: the given one, or a new one if it cannot be used. */
function openState(text: StateText, options: ChatOptions): OpenedState {
  const partner = findPartner(options);
  const usable = readOrDiscard(text, options);
  const { with: before } = usable.state;
  const { onMismatch = 'translate' } = options;
  if (onMismatch === 'translate' || isSameProvider(before, partner)) return { ...usable, partner };
  const problem = `The state is of a conversation with ${before?.provider}, not ${partner?.provider}; "onMismatch: 'translate'" would take it along`;
  // It could be read, so it is text or the bytes of text.
  const state = decodeSaved(text) as string;
  return { ...discard({ reason: 'provider_mismatch', state }, problem, options), partner };
}

/** Reads a state without comparing its provider. */
function readOrDiscard(text: StateText, options: ChatOptions): UsableState {
  const read = readChatState(text);
  return 'problem' in read
    ? discard(read.discarded, read.problem, options)
    : { state: read.state, discarded: read.state.discarded, notices: [] };
}

function discard(discarded: DiscardedState, problem: string, options: ChatOptions): UsableState {
  if (options.onMismatch === 'throw') throw new ConversationStateError(discarded, problem);
  const notice: Notice = { code: 'state-discarded', message: `${problem}. The conversation starts again` };
  notifyObserver(options, notice);
  return { state: newState(), discarded, notices: [notice] };
}

/** Notices before a run are observed as run 0. */
function notifyObserver({ observer, observePayloads, clock = realClock }: ChatOptions, notice: Notice): void {
  const { code } = notice;
  const event: ObserverEvent = { run: 0, at: clock.now(), type: 'notice', code, ...(observePayloads && { notice }) };
  try {
    observer?.(event);
  } catch {
    // An observer must not be able to break the call.
  }
}

/** The provider of a chat; undefined when the options are wrong, which the run reports better. */
function findPartner({ model, baseUrl, env }: Pick<RunOptions, 'model' | 'baseUrl' | 'env'>): Partner | undefined {
  try {
    const choice: Exclude<RunOptions['model'], string> = typeof model === 'string' ? parseModel(model) : model;
    const address = { baseUrl: choice.baseUrl ?? baseUrl, env: choice.env ?? env };
    const { provider } = resolveEndpoint(choice.provider, address);
    return { provider: provider.id, dialect: provider.dialect, issuer: provider.issuer };
  } catch {
    return undefined;
  }
}

/** One company may offer several APIs, whose issuers differ after the host. */
function isSameProvider(one: Partner | undefined, other: Partner | undefined): boolean {
  if (!one || !other) return true;
  return one.provider === other.provider || readHost(one.issuer) === readHost(other.issuer);
}

const readHost = (issuer: string): string => issuer.split('/', 1)[0]!;
