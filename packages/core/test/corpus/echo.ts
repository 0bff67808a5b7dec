import {
  type Dialect,
  dialect,
  type Loss,
  type Message,
  type ProviderDescriptor,
  type Reply,
  toolResult,
  user,
  writeRequest,
} from '../../src/index.ts';
import { partsOf } from './received.ts';
import type { Protocol } from './recordings.ts';

/** The next request after a reply: its calls are answered, or the user says something more. */
function echo(to: Dialect, { message, envelope }: Reply): { body: string; losses: readonly Loss[] } {
  const results = message.toolUses.map((call) => toolResult(call.id, 'the answer'));
  return writeRequest(to, {
    model: message.origin.model ?? 'some-model',
    messages: [user('Hello'), message, ...(results.length > 0 ? results : [user('Go on')])],
    provider: storingAs(to.home, envelope),
  });
}

/** The home provider; where the response was stored, so that its items can be referred to, it says so. */
function storingAs(home: ProviderDescriptor, envelope: string): ProviderDescriptor {
  if (!('store' in home.policies.quirks) || !/"store"\s*:\s*true/.test(envelope)) return home;
  const quirks = { ...home.policies.quirks, store: { default: true } };
  return { ...home, policies: { ...home.policies, quirks } };
}

/** Every reason for which a recorded reply may not come back as it is, and why. */
const REASONS: Readonly<Record<string, string>> = {
  'dropped empty': 'a reply that says nothing is refused by every API',
  'rewritten empty': 'chat refuses `tool_calls: []` (tool-calls-empty)',
  'synthesised tool-unanswered': 'a patch that the client was asked to apply is no block, and not answered here',
  'synthesised tool-id': 'a compatible provider gave a call no id, and its result needs one',
  'dropped refused-field':
    'chat takes audio as its id only; reasoning without ciphertext that was not stored is not found',
  'dropped server-tool':
    'the result of a server tool that an earlier reply called, which is not sent here (server-result-orphan)',
  'rewritten merged': 'Google streams the arguments of a call value by value: they are sent as the one call they are',
  'rewritten malformed-arguments': 'arguments that never became JSON, in a stream written by hand',
  'rewritten refused-field': 'an item whose reasoning is left out stands alone only without its id (missing-reasoning)',
};

/** Sends replies back where they came from, and looks whether they are still what they were. */
export class Echoes {
  readonly failures: string[] = [];
  readonly #counts = new Map<string, number>();
  readonly #protocol: Protocol;

  constructor(protocol: Protocol) {
    this.#protocol = protocol;
  }

  add(name: string, reply: Reply): void {
    const { body, losses } = echo(dialect(this.#protocol), reply);
    const reasons = [...new Set(losses.map(({ kind, reason }) => `${kind} ${reason}`))].sort();
    const label = reasons.join(' and ') || 'verbatim';
    this.#counts.set(label, (this.#counts.get(label) ?? 0) + 1);
    this.failures.push(
      ...reasons.filter((reason) => !Object.hasOwn(REASONS, reason)).map((reason) => `${name}: ${reason}`),
      ...missingParts(this.#protocol, reply.message, losses, body).map((path) => `${name}: ${path} is not in the body`),
    );
  }

  /** How many came back verbatim, and how many with which losses. */
  counts(): Readonly<Record<string, number>> {
    return Object.fromEntries(this.#counts);
  }
}

/** The parts that no loss names, yet are not in the body as they were received. */
function missingParts(protocol: Protocol, message: Message, losses: readonly Loss[], body: string): string[] {
  const ofMessage = losses.filter((loss) => loss.message === 1);
  if (ofMessage.some((loss) => loss.path === '' && loss.kind === 'dropped'))
    return message.text === '' && message.toolUses.length === 0 ? [] : ['everything'];
  if (ofMessage.some((loss) => loss.reason === 'server-tool' && !isOrphan(protocol, message.raw, loss.path)))
    return ['a server tool that has its call'];
  const isMerged = ofMessage.some((loss) => loss.reason === 'merged');
  if (isMerged && !sameCalls(protocol, message, body)) return ['the arguments of a call'];
  const whole = protocol === 'openai-chat' || protocol === 'google-generatecontent' ? [['', message.raw] as const] : [];
  const parts = ofMessage.length === 0 ? [...whole, ...partsOf(protocol, message.raw)] : partsOf(protocol, message.raw);
  return parts
    .filter(([, text]) => !isMerged || !text.includes('"functionCall"'))
    .filter(([path, text]) => !body.includes(text) && !ofMessage.some((loss) => loss.path.startsWith(path)))
    .map(([path]) => path);
}

/** Whether the calls of a message are in a body with the same arguments, to the letter. */
function sameCalls(protocol: Protocol, message: Message, body: string): boolean {
  const sent = dialect(protocol)
    .readRequest(body)
    .messages.flatMap((one) => one.toolUses);
  const spelt = (uses: Message['toolUses']): string => JSON.stringify(uses.map((use) => [use.name, use.rawParameters]));
  return spelt(sent) === spelt(message.toolUses);
}

/** Whether the block at a path answers a call that is not in its message. */
function isOrphan(protocol: Protocol, raw: string, path: string): boolean {
  const [, text = ''] = partsOf(protocol, raw).find(([place]) => place === path) ?? [];
  const id = /"tool_use_id"\s*:\s*"([^"]+)"/.exec(text)?.[1];
  return id !== undefined && !new RegExp(`"id"\\s*:\\s*"${id}"`).test(raw);
}
