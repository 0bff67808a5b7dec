import { describe, expect, it } from 'vitest';
import {
  dialect,
  type ProviderDescriptor,
  provider,
  type Reply,
  toolResult,
  user,
  writeRequest,
} from '../../src/index.ts';
import { eventsOf } from './events-of.ts';
import { RECORDED } from './recorded-providers.ts';
import { type Exchange, exchanges, hasCorpus } from './recordings.ts';

function recorded(id: string): readonly Exchange[] {
  const [, protocol, recordedAs] = RECORDED.find(([name]) => name === id)!;
  return exchanges(protocol).filter((exchange) => !exchange.synthetic && exchange.provider === recordedAs);
}

function read({ response, sse }: Exchange, { dialect: id, issuer }: ProviderDescriptor): Reply | undefined {
  if (response !== undefined) return dialect(id).readResponse(response, { issuer });
  if (sse === undefined) return undefined;
  const reader = dialect(id).readStream({ issuer });
  for (const { event, data } of eventsOf(sse)) reader.push(event, data);
  return reader.finish();
}

/** Why a provider's own words may not come back as they were: its descriptor says so, or every API refuses them so. */
const ALLOWED = [
  ...['refused-field', 'model-bound', 'prefix-bound', 'account-bound'],
  ...['empty', 'tool-id', 'cut', 'server-tool', 'merged'],
];

/** Sends a reply back; gives what became of it. */
function sendBack({ message }: Reply, own: ProviderDescriptor): 'verbatim' | readonly string[] {
  const results = message.toolUses.map((call) => toolResult(call.id, 'the answer'));
  const { body, losses } = writeRequest(dialect(own.dialect), {
    model: message.origin.model ?? 'some-model',
    messages: [user('Hello'), message, ...results, user('Go on')],
    provider: own,
  });
  const items = message.raw.replace(/^\[|\]$/g, '');
  const lost = losses.filter((loss) => loss.message === 1).map(({ reason }) => reason);
  return lost.length === 0 && body.includes(items) ? 'verbatim' : lost;
}

const WITHOUT = 'skipped where the recordings are not beside the project';

describe.runIf(hasCorpus).each(RECORDED)(`%s, by recordings of %s from %s (${WITHOUT})`, (id) => {
  const own = provider(id);
  const all = recorded(id);
  const replies = all.flatMap((exchange) => read(exchange, own) ?? []);

  it('what it says is read, and goes back as it was but for what it refuses', () => {
    const sent = replies.map((reply) => sendBack(reply, own));
    console.log(
      `${id}: ${replies.length} replies, ${sent.filter((one) => one === 'verbatim').length} sent back verbatim`,
    );
    const lost = sent.flatMap((one) => (one === 'verbatim' ? [] : one));
    expect(lost.filter((reason) => !ALLOWED.includes(reason))).toEqual([]);
    expect(replies.length).toBeGreaterThan(0);
  });

  it('nothing that it was seen to accept is called refused', () => {
    const wrong = all.flatMap(({ name, request, method }) => {
      if (request === undefined || method === 'GET') return [];
      const { messages, model = 'm' } = dialect(own.dialect).readRequest(request, { issuer: own.issuer });
      // What a stored prompt says stands in no message.
      if (messages.length === 0) return [];
      const { losses } = writeRequest(dialect(own.dialect), { model, messages, provider: own });
      return losses
        .filter(({ reason, kind }) => reason === 'refused-field' && kind === 'dropped')
        .map(({ path }) => `${name}: ${path}`);
    });
    expect(wrong).toEqual([]);
  });

  it('the ids it gives are ids it takes, or goes back with as they were', () => {
    const { pattern, maxLength } = own.policies.toolIds;
    const isOdd = (callId: string) => callId.length > maxLength || !new RegExp(pattern).test(callId);
    // Calls without an id have one in our view only.
    const isGiven = (callId: string) => !callId.startsWith('skn_');
    const odd = replies.filter(({ message }) =>
      message.toolUses.some(({ id: given }) => isGiven(given) && isOdd(given)),
    );
    expect(odd.map((reply) => sendBack(reply, own)).filter((sent) => sent !== 'verbatim')).toEqual([]);
    // At Bedrock, a model of Moonshot gives ids that models of Anthropic do not take.
    if (id !== 'bedrock') expect(odd).toEqual([]);
  });

  it('requests went where its descriptor says', () => {
    const paths = all.map(({ path }) => path).filter((path) => path !== '');
    const { baseUrl, path, streamPath = path } = own.connection!;
    const expected = [path, streamPath].map((one) => {
      const filled = (baseUrl.replace(/^https?:\/\/[^/]+/, '') + one).replace('{apiVersion}', own.apiVersion ?? '');
      return new RegExp(`^${filled.replace(/[?.]/g, '\\$&').replace('{model}', '[^/]+')}`);
    });
    // Some recordings do not say.
    if (paths.length > 0) expect(paths.some((one) => expected.some((pattern) => pattern.test(one)))).toBe(true);
  });
});
