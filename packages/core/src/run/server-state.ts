/** Conversations that the API keeps: a request contains only what is new. Loaded on first use. */
import type { Manifest, ServerState } from '../dialects/index.ts';
import { joinManifest } from '../dialects/manifest.ts';
import { findMembers, isObject, type JsonObject, textAt } from '../json/index.ts';
import type { Message } from '../message/index.ts';
import { ProviderError } from '../providers/transport/provider-error.ts';
import type { Journal } from './journal.ts';
import { type Question, type QuestionRequest, type SendResult, type Target, targetName } from './question.ts';

/** What is sent of a request. */
export interface SentForm {
  readonly manifest: Manifest;
  readonly body: string;
  /** Headers to add. */
  readonly headers: Readonly<Record<string, string>>;
  /** Whether the API adds the history. */
  readonly continues: boolean;
}

/** Decides for one model what is sent of each request, and what to do when the API has forgotten. */
export class ServerStateKeeper {
  readonly #state: ServerState;
  readonly #target: Target;
  readonly #journal: Journal;
  /** What each request was answered with, where nothing is stored: only the same connection can continue it. */
  readonly #answers: WeakMap<object, NonNullable<Manifest['response']>> | undefined;
  #isOff = false;
  #isLost = false;

  constructor(
    state: ServerState,
    target: Target,
    journal: Journal,
    answers: WeakMap<object, NonNullable<Manifest['response']>> | undefined,
  ) {
    this.#answers = answers;
    this.#state = state;
    this.#target = target;
    this.#journal = journal;
  }

  /** The response that the next request can continue, if the API still has it. */
  get #response(): Manifest['response'] {
    const previous = this.#journal.manifest;
    if (this.#isOff || this.#isLost || !previous) return undefined;
    return this.#answers ? this.#answers.get(previous) : previous.response;
  }

  /** Whether the API has this message as its last reply, so that it can go on with it. */
  hasReply({ facts }: Message): boolean {
    return this.#response?.reply === facts.digest;
  }

  /** The form in which a request is sent; undefined if nothing is kept. */
  toSent(
    { written, continuesReply = false }: QuestionRequest,
    { messages, queued }: Pick<Question, 'messages' | 'queued'>,
    extra: unknown,
  ): SentForm | undefined {
    if (this.#isOff) return undefined;
    const response = this.#response;
    const first = response && firstNewElement(this.#journal.manifest!, response, written.manifest, messages);
    const isContinued = first !== undefined && (continuesReply || first < written.manifest.elements.length);
    const id = isContinued ? response!.id : undefined;
    const members = this.#state.members(id, this.#answers !== undefined);
    checkExtra(members, extra);
    const isAlone = isContinued && continuesReply && this.#state.continuesWithoutList === true;
    const manifest = reframe(written.manifest, isContinued ? first : 0, {
      without: id === undefined ? [] : this.#state.keeps,
      members,
      list: this.#target.dialect.members!.messages,
      isAlone,
      isKnown: ({ of }) => isContinued && of.length > 0 && of.every((index) => queued.includes(messages[index]!)),
    });
    const body = joinManifest(manifest, (index) => messages[index]!.raw);
    return { manifest, body, headers: this.#state.headers ?? {}, continues: isContinued };
  }

  /** Whether the request has to be sent again in another form, because the API cannot continue the conversation. */
  isForgotten({ failure, isTold }: SendResult, { continues }: SentForm): boolean {
    if (!(failure instanceof ProviderError) || isTold) return false;
    const recovery = this.#state.recovery(failure.status, readError(failure.rawBody));
    if (recovery === undefined || (recovery === 'again' && !continues)) return false;
    this.#isOff = recovery === 'stateless';
    this.#isLost = true;
    const what = this.#isOff ? 'cannot keep this conversation' : 'no longer has the conversation';
    this.#journal.notice('server-state', `${targetName(this.#target)} ${what}; the whole history is sent`);
    return true;
  }

  /** Notes under which id the API keeps a reply, so that the next request continues it. */
  noteReply({ reply, failure }: SendResult, manifest: Manifest, isWarmUp = false): void {
    if (this.#isOff || !reply || failure !== undefined || reply.message.origin.cut) return;
    const id = textAt(reply.envelope, ['id']);
    if (!id?.startsWith('"') || id === '""') return;
    // A refusal is not kept.
    if (reply.stop.reason === 'refusal') return;
    this.#isLost = false;
    const response = { id: JSON.parse(id) as string, reply: isWarmUp ? '' : reply.message.facts.digest };
    if (this.#answers) this.#answers.set(manifest, response);
    else Object.defineProperty(manifest, 'response', { value: response, enumerable: true });
  }
}

/**
 * The index of the first element that the API does not have; undefined if the request does not extend what it has: the
 * previous request and the reply to it.
 */
function firstNewElement(
  previous: Manifest,
  response: NonNullable<Manifest['response']>,
  next: Manifest,
  messages: readonly Message[],
): number | undefined {
  // A request that only warmed up has no reply.
  const reply = response.reply === '' ? previous.messages.length - 1 : previous.messages.length;
  if (response.reply !== '' && messages[reply]?.facts.digest !== response.reply) return undefined;
  const isSame =
    previous.start === next.start &&
    (['dialect', 'issuer', 'model', 'account', 'upstream'] as const).every((name) => previous[name] === next[name]) &&
    previous.messages.every((digest, index) => digest === next.messages[index]) &&
    previous.elements.every((element, index) => isSameElement(element, next.elements[index]));
  if (!isSame) return undefined;
  let first = previous.elements.length;
  while (first < next.elements.length && isOnly(next.elements[first]!.of, reply)) first += 1;
  return next.elements.slice(first).every(({ of }) => of.every((index) => index > reply)) ? first : undefined;
}

function isOnly(of: readonly number[], message: number): boolean {
  return of.length > 0 && of.every((index) => index === message);
}

function isSameElement(a: Manifest['elements'][number], b: Manifest['elements'][number] | undefined): boolean {
  const text = ({ of, pieces, plain = pieces }: Manifest['elements'][number]) => JSON.stringify([of, plain]);
  return a === b || (b !== undefined && text(a) === text(b));
}

interface FrameChanges {
  /** The members that are left out, and those that are added. */
  readonly without: readonly string[];
  readonly members: JsonObject;
  /** The name of the list. */
  readonly list: string;
  /** Whether there is no list at all. */
  readonly isAlone: boolean;
  /** Whether the API has an element already. */
  readonly isKnown: (element: Manifest['elements'][number]) => boolean;
}

/** The same request from an element on, with other members around the list. */
function reframe(
  manifest: Manifest,
  first: number,
  { without, members, list, isAlone, isKnown }: FrameChanges,
): Manifest {
  const frame = manifest.head + manifest.tail;
  const given = findMembers(frame).map(({ name, start, end }) => [name, frame.slice(start, end)] as const);
  const kept = given.filter(([name]) => name !== list && !without.includes(name) && !(name in members));
  const own = Object.entries(members).map(([name, value]) => [name, JSON.stringify(value)] as const);
  const texts = [...kept, ...own].map(([name, text]) => `${JSON.stringify(name)}:${text}`);
  const { prefix: _, ...rest } = manifest;
  return {
    ...rest,
    head: isAlone ? `{${texts.join(',')}` : `{${texts.join(',')},${JSON.stringify(list)}:[`,
    elements: manifest.elements.slice(first).filter((element) => !isKnown(element)),
    tail: isAlone ? '}' : ']}',
    prefix: manifest.prefix,
  };
}

/** What the caller forbids is not done: `store: false` and a conversation that the API keeps exclude each other. */
function checkExtra(members: JsonObject, extra: unknown): void {
  const given: unknown = typeof extra === 'string' ? JSON.parse(extra) : extra;
  if (!isObject(given)) return;
  for (const [name, value] of Object.entries(members))
    if (given[name] !== undefined && JSON.stringify(given[name]) !== JSON.stringify(value))
      throw new TypeError(`"serverState" sets "${name}"; leave it out of "extraBody", or do without "serverState"`);
}

function readError(body: string | undefined): JsonObject {
  try {
    const value: unknown = JSON.parse(body ?? '');
    return isObject(value) && isObject(value.error) ? value.error : {};
  } catch {
    return {};
  }
}
