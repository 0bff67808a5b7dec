import type { Json } from '../../json.ts';
import type { Memory } from '../verdict.ts';
import { prefixDigest } from './prefix.ts';
import {
  assistant,
  type Cases,
  found,
  hello,
  NEW,
  says,
  search,
  send,
  system,
  text,
  thinking,
  toolResult,
  toolUse,
  user,
} from './test-requests.ts';

const hi = assistant(text('hi'));
const called = assistant(toolUse('a'), toolUse('b'));
const answered = user(toolResult('a'), toolResult('b'));
const model = 'claude-opus-4-8';
const enabled = { thinking: { type: 'enabled', budget_tokens: 1024 } };

/** A provider that thought twice in one reply, and knows one search result. */
const thought = [thinking('one'), text('so'), thinking('two'), text('done')];
const before: Json = { model: NEW, system: 'be kind', messages: [hello] };
const issue = (issuer: string): Memory => ({
  issued: (value) => {
    if (value === 'enc') return { model: issuer };
    const block = ['one', undefined, 'two'].indexOf(value);
    const echoed = { ...before, messages: [hello, assistant(...thought)] };
    return block < 0 ? undefined : { model: issuer, text: 'hm', prefix: prefixDigest(echoed, 1, block) };
  },
  stored: () => false,
  ownField: () => false,
});
const recall = (body: Json, issuer = NEW) => send({ model: issuer, ...body }, { memory: issue(issuer) });

export const conversationCases: Cases = {
  'system-role': {
    good: send({ model, messages: [hello, system(text('be kind'))] }),
    bad: send({ messages: [hello, system(text('be kind'))] }),
    message: "role 'system' is not supported on this model",
  },
  'system-placement': {
    good: send({ model, messages: [hello, system(text('a')), system(text('b')), hi, hello] }),
    bad: send({ model, messages: [hello, hi, system(text('a'))] }),
    message: /^messages\.2: role 'system' must follow a 'user' message /,
  },
  'system-placement-after': {
    good: send({ model, messages: [hello, system(text('a')), hi, hello] }),
    bad: send({ model, messages: [hello, system(text('a')), hello] }),
    message: /^messages\.1: role 'system' must be the last message/,
  },
  'empty-message': {
    good: says(hello, { role: 'assistant', content: '' }),
    bad: says(hello, { role: 'assistant', content: [] }, hello),
    message: 'messages.1: all messages must have non-empty content except for the optional final assistant message',
  },
  'empty-text': {
    good: says(hello),
    bad: says(user(text('a'), text(''))),
    message: 'messages: text content blocks must be non-empty',
  },
  'whitespace-text': {
    good: says(hello, assistant(text(' '), toolUse('a')), user(toolResult('a'))),
    bad: says({ role: 'user', content: ' \n' }),
    message: 'messages: text content blocks must contain non-whitespace text',
  },
  'trailing-space': {
    good: says(hello, hi),
    bad: says(hello, assistant(text('hi '))),
    message: 'messages: final assistant content cannot end with trailing whitespace',
  },
  prefill: {
    good: send({ model, messages: [hello, assistant(search('srvtoolu_1'))] }),
    bad: send({ model: 'claude-sonnet-4-6', messages: [hello, hi] }),
    message: 'This model does not support assistant message prefill. The conversation must end with a user message.',
  },
  'tool-unanswered': {
    good: says(hello, assistant(toolUse('a')), assistant(toolUse('b')), user(toolResult('a')), user(toolResult('b'))),
    bad: says(hello, hi, hello, called, hello),
    message:
      'messages.3: `tool_use` ids were found without `tool_result` blocks immediately after: a, b. Each `tool_use` block must have a corresponding `tool_result` block in the next message.',
  },
  'tool-result-not-first': {
    good: says(hello, called, user(toolResult('a'), toolResult('b'), text('go on'))),
    bad: says(hello, called, user(toolResult('a'), text('go on'), toolResult('b'))),
    message: /^messages\.1: `tool_use` ids were found without `tool_result` blocks immediately after: b\./,
  },
  'tool-result-not-first-split': {
    good: says(hello, called, answered, hello),
    bad: says(hello, called, hello, answered),
    unsure: true,
    message: '',
  },
  'tool-result-orphan': {
    good: says(hello, called, answered),
    bad: says(hello, called, answered, hi, user(toolResult('a'))),
    message:
      'messages.4.content.0: unexpected `tool_use_id` found in `tool_result` blocks: a. Each `tool_result` block must have a corresponding `tool_use` block in the previous message.',
  },
  'tool-result-dup': {
    good: says(hello, called, answered, called, answered),
    bad: says(hello, called, answered, user(toolResult('a'))),
    message:
      'messages.3.content.0: each tool_use must have a single result. Found multiple `tool_result` blocks with id: a',
  },
  'tool-id-unique': {
    good: says(hello, called, answered, called, answered),
    bad: says(hello, assistant(toolUse('a'), toolUse('a')), user(toolResult('a'))),
    message: 'messages.1.content.1: `tool_use` ids must be unique',
  },
  'server-tool-unanswered': {
    good: says(hello, assistant(search('srvtoolu_1'), toolUse('a')), user(toolResult('a'))),
    bad: says(hello, assistant(search('srvtoolu_1'), toolUse('a')), user(toolResult('a'), text('go on'))),
    message:
      'messages.1: `web_search` tool use with id `srvtoolu_1` was found without a corresponding `web_search_tool_result` block',
  },
  'server-result-orphan': {
    good: says(hello, assistant(search('srvtoolu_1'), found('srvtoolu_1'), text('hi')), hello),
    bad: says(hello, assistant(found('srvtoolu_1'), search('srvtoolu_1'), text('hi')), hello),
    message:
      'messages.1.content.0: unexpected `tool_use_id` found in `web_search_tool_result` blocks: srvtoolu_1. Each `web_search_tool_result` block must have a corresponding `server_tool_use` block before it.',
  },
  'server-result-altered': {
    good: recall({ messages: [hello, assistant(search('srvtoolu_1'), found('srvtoolu_1'), text('hi')), hello] }),
    bad: recall({ messages: [hello, assistant(search('srvtoolu_1'), found('srvtoolu_1', 'cut'), text('hi')), hello] }),
    message: 'messages.1.content.1: Invalid `encrypted_content` in `web_search_tool_result` block',
  },
  'cache-in-tool-result': {
    good: says(hello, assistant(toolUse('a')), user(toolResult('a', { content: [text('x')] }))),
    bad: says(
      hello,
      assistant(toolUse('a')),
      user(toolResult('a', { content: [text('x', { cache_control: { type: 'ephemeral' } })] })),
    ),
    unsure: true,
    message: '',
  },
  'thinking-first': {
    good: send({
      ...enabled,
      messages: [
        hello,
        assistant(thinking('s'), toolUse('a')),
        user(toolResult('a')),
        assistant(toolUse('b')),
        user(toolResult('b')),
      ],
    }),
    bad: send({ ...enabled, messages: [hello, called, answered] }),
    message: /^messages\.1\.content\.0\.type: Expected `thinking` or `redacted_thinking`, but found `tool_use`\. /,
  },
  'thinking-last': {
    good: says(hello, assistant(thinking('s'), text('hi')), hello),
    bad: says(hello, assistant(thinking('s')), hello),
    message: 'messages.1: The final block in an assistant message cannot be `thinking`.',
  },
  signature: {
    good: recall({ ...before, messages: [hello, assistant(...thought), hello] }),
    bad: recall({ ...before, messages: [hello, assistant(thinking('one', { thinking: 'hmm' }), text('so')), hello] }),
    message: 'messages.1.content.0: Invalid `signature` in `thinking` block',
  },
  'thinking-modified': {
    good: recall({ messages: [user(text('edited')), assistant(...thought), hello] }, model),
    bad: recall({ messages: [hello, assistant(...thought.slice(1)), hello] }, model),
    message:
      'messages.1.content.1: `thinking` or `redacted_thinking` blocks in the latest assistant message cannot be modified. These blocks must remain as they were in the original response.',
  },
  'prefix-binding': {
    good: recall({ ...before, messages: [hello, assistant(...thought), hello, hi, hello] }),
    bad: recall({ ...before, system: 'be terse', messages: [hello, assistant(...thought), hello] }),
    message:
      /^messages\.1\.content\.0: Invalid `signature` in `thinking` block\. The block is bound to a different conversation\. .* The `system` prompt differs from the one this block was created with\.$/,
  },
};
