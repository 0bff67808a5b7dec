import {
  anthropicMessages,
  assistant,
  blocks,
  type Dialect,
  dialect,
  googleGenerateContent,
  type Message,
  openaiChat,
  openaiResponses,
  type ProviderDescriptor,
  provider,
  user,
  type WriteRequest,
  type WrittenRequest,
  writeRequest,
} from '@skein/core';
import { bedrockConverse, cohereChat, googleInteractions } from '@skein/core/dialect';
import { describe, expect, test } from 'vitest';
import { NATIVE_REQUESTS } from '../matrix/native-requests.ts';
import { Golden, printAgain, printRequest } from './golden.ts';
import { type Case, CONTENTS, FRAMES, ORDERS, PARAMS } from './histories.ts';
import { OWN_WORDS, type OwnCase } from './own-words.ts';

interface Target {
  readonly provider: ProviderDescriptor;
  readonly model: string;
}

const anthropic = provider('anthropic');

/** Models and providers with different rules; `more` have others about what is around the messages, or about their own messages. */
const SPOKEN: readonly {
  readonly to: Dialect;
  readonly targets: readonly Target[];
  readonly more: readonly Target[];
}[] = [
  {
    to: anthropicMessages,
    targets: targets('anthropic/claude-sonnet-4-5', 'anthropic/claude-fable-5-1'),
    more: [
      ...targets('anthropic/claude-opus-4-8', 'vertex-anthropic/claude-opus-4-8', 'bedrock-invoke/claude-sonnet-4-5'),
      { provider: { ...anthropic, id: 'anthropic of 2026-10-21', apiVersion: '2026-10-21' }, model: 'claude-opus-4-8' },
      plain('anthropic/claude-opus-4-8'),
    ],
  },
  {
    to: googleGenerateContent,
    targets: targets('google/gemini-2.5-flash', 'google/gemini-3.6-pro'),
    more: [plain('google/gemini-2.5-flash')],
  },
  {
    to: openaiChat,
    targets: targets('openai-chat/gpt-4o', 'deepseek/deepseek-chat', 'mistral/mistral-large-latest', 'lmstudio/llama3'),
    more: [
      ...targets(
        'openai-chat/gpt-5.2',
        'openai-chat/o1-mini',
        'openrouter/anthropic/claude-opus-4.8',
        'moonshot/kimi-k2',
      ),
      plain('openai-chat/gpt-4o'),
    ],
  },
  {
    to: openaiResponses,
    targets: targets('openai/gpt-5.2'),
    more: [...targets('openai/gpt-4o', 'openai/gpt-5.6'), plain('openai/gpt-5.6')],
  },
  {
    to: bedrockConverse,
    targets: targets('bedrock/amazon.nova-lite-v1:0', 'bedrock/us.anthropic.claude-sonnet-4-5'),
    more: [
      ...targets('bedrock/us.anthropic.claude-opus-4-8', 'bedrock/us.anthropic.claude-fable-5-1'),
      plain('bedrock/amazon.nova-lite-v1:0'),
    ],
  },
  {
    to: googleInteractions,
    targets: targets('google-interactions/gemini-2.5-flash'),
    more: [plain('google-interactions/gemini-2.5-flash')],
  },
  {
    to: cohereChat,
    targets: targets('cohere/command-a-reasoning-08-2025'),
    more: [...targets('cohere/command-a-03-2025'), plain('cohere/command-a-03-2025')],
  },
  { to: blocks, targets: [{ provider: blocks.home, model: 'any' }], more: [] },
];

/** A provider of which only the protocol is known, so that it has no quirks. */
function plain(name: string): Target {
  const [target] = targets(name) as [Target];
  const { provider } = target;
  return {
    ...target,
    provider: { ...provider, id: `plain ${provider.id}`, policies: { ...provider.policies, quirks: {} } },
  };
}

function targets(...names: readonly string[]): Target[] {
  return names.map((name) => {
    const [id = '', ...model] = name.split('/');
    return { provider: provider(id), model: model.join('/') };
  });
}

/** The requests for all targets. What they have in common with the first is there once. */
function printAll(to: Dialect, all: readonly Target[], caseFor: (target: Target) => Case): string {
  const found = new Map<string, string[]>();
  let first: readonly string[] | undefined;
  for (const target of all) {
    const { lines, grown } = writeBoth(to, target, caseFor(target));
    const isSame = grown.join('\n') === lines.join('\n');
    const isFirst = first === undefined || first.join('\n') === lines.join('\n');
    first ??= lines;
    const again = isSame ? '' : `\nbehind what was sent before:\n${printAgain(grown, first)}`;
    const text = (isFirst ? lines.join('\n') : printAgain(lines, first)) + again;
    found.set(text, [...(found.get(text) ?? []), `${target.provider.id}/${target.model}`]);
  }
  return [...found].map(([text, names]) => `# ${names.join(', ')}\n${text}`).join('\n');
}

/** The request by itself, and as it is if it was sent two messages and one message earlier. */
function writeBoth(to: Dialect, target: Target, given: Case): { lines: string[]; grown: string[] } {
  const messages = [...given.messages];
  const write = (list: readonly Message[], more: Partial<WriteRequest> = {}): WrittenRequest =>
    writeRequest(to, { ...given, ...target, messages: list, ...more });
  const print = (make: () => WrittenRequest): string[] => {
    try {
      const lines = printRequest(make(), messages);
      return lines.map((line) => line.replaceAll(JSON.stringify(target.model), '"MODEL"'));
    } catch (error) {
      return [String(error)];
    }
  };
  const lines = print(() => write(messages));
  if (given.cache || messages.length < 3) return { lines, grown: lines };
  const grown = print(() => {
    const before = write(messages.slice(0, -2));
    const { manifest } = write(messages.slice(0, -1), { previous: before.manifest });
    return write(messages, { previous: manifest });
  });
  return { lines, grown };
}

const FROM_CLIENTS: Readonly<Record<string, Case>> = Object.fromEntries(
  Object.entries(NATIVE_REQUESTS).map(([from, body]) => {
    const { messages, system, tools } = dialect(from).readRequest(body);
    return [`a request in ${from}`, { messages, tools, ...(system && { system: [system] }) }];
  }),
);

const TOOLS = [{ name: 'find', parameters: { type: 'object' } }];
const WITH_PARAMS: Readonly<Record<string, Case>> = Object.fromEntries(
  PARAMS.flatMap((params) =>
    [TOOLS, []].map((tools): [string, Case] => [
      `${JSON.stringify(params)} with ${tools.length} tools`,
      { ...CONTENTS['a question']!, params, tools },
    ]),
  ),
);

/** A case for one target: its own provider issued what does not say who did. */
function readOwn(to: Dialect, { history, ...request }: OwnCase, { provider: { issuer } }: Target): Case {
  const messages = history.map((one) => {
    const [raw, origin] = typeof one === 'string' ? [one] : one;
    return to.parseMessage(raw, { issuer, ...origin });
  });
  return { ...request, messages };
}

describe.each(SPOKEN.map((spoken) => ({ ...spoken, id: spoken.to.id })))(
  'requests in $id are as they were in the last release',
  ({ id, to, targets, more }) => {
    const golden = new Golden(id);
    const everywhere = [...targets, ...more];

    test.each([
      ['whatever messages say', CONTENTS, targets],
      ['in whatever order they stand', ORDERS, targets],
      ["for clients' requests", FROM_CLIENTS, targets],
      ['whatever is around the messages', FRAMES, everywhere],
      ['whatever the parameters are', WITH_PARAMS, everywhere],
    ])('%s', (_, cases, all) => {
      for (const [title, given] of Object.entries(cases))
        golden.expectSame(
          title,
          printAll(to, all, () => given),
        );
    });

    test('by the hashes of their prefixes, to which signatures are bound', () => {
      const hashes = Object.entries({ ...ORDERS, ...FRAMES }).map(([title, given]) => {
        const { manifest } = writeRequest(to, { ...given, ...targets[0]! });
        return `${manifest.start.slice(0, 8)} ${manifest.prefix.slice(0, 8)} ${title}`;
      });
      golden.expectSame('hashes', hashes.join('\n'));
    });

    test('whatever was written before', () => {
      const [target] = targets as readonly [Target];
      const own = Object.values(OWN_WORDS[id] ?? {}).map((one) => readOwn(to, one, target));
      for (const given of [...Object.values(ORDERS), ...own]) {
        const all = [...given.messages, assistant('Fine'), user('Bye')];
        for (let count = all.length - 2; count <= all.length; count++) {
          const request = { ...given, ...target, messages: all.slice(0, count), cache: [] };
          const [warm, cold] = [to, { ...to }].map((one) => {
            const { body, losses, manifest } = writeRequest(one, request);
            return JSON.stringify([body, losses, manifest.prefix]);
          });
          expect(warm).toBe(cold);
        }
      }
    });

    test('for histories in its own words', () => {
      for (const [title, own] of Object.entries(OWN_WORDS[id] ?? {}))
        golden.expectSame(
          `own: ${title}`,
          printAll(to, everywhere, (target) => readOwn(to, own, target)),
        );
    });
  },
);
