/**
 * The members of 2026, one test for each line of the table in docs/new-members.md: read, kept, sent back as the vendor
 * wants them, written by a parameter of ours or passed through.
 */
import { anthropicMessages, type Message, openaiResponses, type RunOptions, toolResult, user } from '@skein/core';
import { type MessageReply, says } from '@skein/emulator';
import { describe, expect, test } from 'vitest';
import { type Api, anthropic, ask, bodies, expectAccepted, google, responses, start, weather } from './kit.ts';

const claude = (message: object): Message => anthropicMessages.parseMessage(JSON.stringify(message));
const item = (value: object): Message => openaiResponses.parseMessage(JSON.stringify(value));
const native = (value: object) => ({ type: 'native' as const, value: { ...value } });

/** Two runs of one conversation: what the second one sent, and what the first one gave. */
async function talk(api: Api, reply: MessageReply, options: Partial<RunOptions> = {}, last: Partial<RunOptions> = {}) {
  const emulator = await start();
  emulator.script(api.protocol, [reply, says('Done.')]);
  const messages = [...(options.messages ?? [user('Hello')])];
  const first = await ask(emulator, api, { ...options, messages }).result;
  const next = [...messages, ...first.messages, user('Go on')];
  const second = await ask(emulator, api, { ...options, ...last, messages: next }).result;
  expectAccepted(emulator);
  const sent = bodies(emulator).map((body) => JSON.parse(body));
  const betas = emulator.log.map(({ headers }) => headers['anthropic-beta'] ?? '');
  return { first, second, sent, betas, envelope: JSON.parse(first.steps[0]!.envelope) };
}

describe('Anthropic', () => {
  test('diagnostics: passed through, and the answer is in the envelope', async () => {
    const found = { cache_miss_reason: { type: 'system_changed', cache_missed_input_tokens: 10 } };
    const { sent, betas, envelope } = await talk(
      anthropic,
      says('Hi', { extra: { envelope: { diagnostics: found } } }),
      { extraBody: { diagnostics: { previous_message_id: null } } },
    );
    expect(sent[0].diagnostics).toEqual({ previous_message_id: null });
    expect(betas[0]).toBe('cache-diagnosis-2026-04-07');
    expect(envelope.diagnostics).toEqual(found);
  });

  test('fallbacks: passed through; the block where a model hands over goes back', async () => {
    const block = { type: 'fallback', from: { model: 'claude-opus-5-5' }, to: { model: 'claude-sonnet-5' } };
    const usage = { iterations: [{ type: 'fallback_message', input_tokens: 1, output_tokens: 1 }] };
    const { sent, betas, first } = await talk(
      anthropic,
      { blocks: [native(block), { type: 'text', text: 'Hi' }], extra: { usage } },
      { extraBody: { fallbacks: 'default' } },
    );
    expect(sent[1].messages[1].content[0]).toEqual(block);
    expect(betas).toEqual(Array(2).fill('server-side-fallback-2026-07-01'));
    expect(first.usage!.native).toContain('fallback_message');
  });

  test('fallback_credit_token: passed through; stop_details are in the envelope', async () => {
    const details = { category: 'cyber', fallback_credit_token: 'fct_1', recommended_model: 'claude-sonnet-5' };
    const { sent, betas, envelope } = await talk(
      anthropic,
      says('No.', { stop: 'refusal', extra: { envelope: { stop_details: details } } }),
      {},
      { extraBody: { fallback_credit_token: { token: 'fct_1', mode: 'best_effort' } } },
    );
    expect(envelope.stop_details).toEqual(details);
    expect(sent[1].fallback_credit_token).toEqual({ token: 'fct_1', mode: 'best_effort' });
    expect(betas).toEqual(['', 'fallback-credit-2026-07-01']);
  });

  const SUMMARISE = { extraBody: { compaction: { type: 'summarize' } } };

  test.each([true, false])(
    'compaction: asked for once, ends the run, and stands for all before it (stream: %s)',
    async (stream) => {
      const emulator = await start();
      const messages = [user('Hello'), user('You?')];
      const options = { stream, system: 'Be brief.' };
      const first = await ask(emulator, anthropic, { ...options, ...SUMMARISE, messages }).result;
      expect(first.stop).toEqual({ reason: 'end', native: 'compaction' });
      expect(first.steps).toHaveLength(1);
      const next = [...messages, ...first.messages, user('Go on')];
      const second = await ask(emulator, anthropic, { ...options, messages: next }).result;
      const sent = JSON.parse(bodies(emulator)[1]!);
      expect(sent.messages).toEqual([
        JSON.parse(first.messages[0]!.raw),
        { role: 'user', content: [{ type: 'text', text: 'Go on' }] },
      ]);
      expect(sent.system).toBe('Be brief.');
      expect(second.losses).toEqual([{ kind: 'rewritten', message: 0, path: '', reason: 'compacted', detail: '2' }]);
      const betas = emulator.log.map(({ headers }) => headers['anthropic-beta']);
      expect(betas).toEqual(['compact-2026-09-04', 'compact-2026-09-04']);
      const again = [...next, ...second.messages];
      const third = await ask(emulator, anthropic, { ...options, ...SUMMARISE, messages: again }).result;
      await ask(emulator, anthropic, { ...options, messages: [...again, ...third.messages, user('So?')] }).result;
      expect(JSON.parse(bodies(emulator)[3]!).messages).toHaveLength(2);
      expectAccepted(emulator);
    },
  );

  test('compaction: what is behind it extends what was sent, also from the manifest of the run before', async () => {
    const emulator = await start();
    const before = await ask(emulator, anthropic, { messages: [user('Hello')] }).result;
    const { messages: summary } = await ask(emulator, anthropic, { ...SUMMARISE, messages: [user('Hello')] }).result;
    const messages = [user('Hello'), ...summary, user('Go on')];
    const first = await ask(emulator, anthropic, { messages, previous: before.manifest }).result;
    expect(JSON.parse(bodies(emulator).at(-1)!).messages).toHaveLength(2);
    const next = [...messages, ...first.messages, user('And?')];
    for (const previous of [undefined, first.manifest]) {
      const { text } = await ask(emulator, anthropic, { messages: next, previous }).result;
      expect(text).toBe('Echo: And?');
      expect(JSON.parse(bodies(emulator).at(-1)!).messages).toHaveLength(4);
    }
    expectAccepted(emulator);
  });

  test('compaction: another provider gets the whole history', async () => {
    const emulator = await start();
    const { messages: summary } = await ask(emulator, anthropic, { ...SUMMARISE, messages: [user('Hello')] }).result;
    const { losses } = await ask(emulator, google, { messages: [user('Hello'), ...summary, user('Go on')] }).result;
    expect(bodies(emulator)[1]).toContain('Hello');
    expect(losses.map(({ message, reason }) => [message, reason])).toEqual([[1, 'unknown-block']]);
  });

  test('compaction: codes of failures are in the error, and one that passes is retried', async () => {
    const emulator = await start();
    const error = { status: 529, message: 'Try again.', code: 'compaction_unavailable' };
    emulator.script('anthropic-messages', [{ error }]);
    expect((await ask(emulator, anthropic, { ...SUMMARISE, messages: [user('Hello')] }).result).stop.native).toBe(
      'compaction',
    );
    const call = claude({
      role: 'assistant',
      content: [{ type: 'tool_use', id: 'toolu_1', name: 'get_weather', input: {} }],
    });
    const body = JSON.stringify({
      model: 'claude-opus-5-5',
      max_tokens: 1,
      messages: [JSON.parse(call.raw)],
      compaction: { type: 'summarize' },
    });
    const headers = { 'x-api-key': 'k', 'anthropic-version': '2023-06-01', 'anthropic-beta': 'compact-2026-09-04' };
    const refused = await fetch(`${emulator.url}/v1/messages`, { method: 'POST', headers, body });
    expect(((await refused.json()) as { error: { details: unknown } }).error.details).toEqual({
      error_code: 'compaction_incomplete_turn',
    });
  });

  test('context_management: passed through; a compaction without a signature goes back where it stood', async () => {
    const block = { type: 'compaction', content: 'They said hello.', encrypted_content: null };
    const applied = {
      applied_edits: [{ type: 'clear_tool_uses_20250919', cleared_tool_uses: 2, cleared_input_tokens: 9 }],
    };
    const { sent, betas, envelope } = await talk(
      anthropic,
      { blocks: [native(block), { type: 'text', text: 'Hi' }], extra: { envelope: { context_management: applied } } },
      {
        extraBody: {
          context_management: { edits: [{ type: 'compact_20260112' }, { type: 'clear_tool_uses_20250919' }] },
        },
      },
    );
    expect(sent[1].messages.map(({ role }: { role: string }) => role)).toEqual(['user', 'assistant', 'user']);
    expect(sent[1].messages[1].content[0]).toEqual(block);
    expect(betas).toEqual(Array(2).fill('context-management-2025-06-27,compact-2026-01-12'));
    expect(envelope.context_management).toEqual(applied);
  });

  const CHANGE = {
    role: 'system',
    content: [{ type: 'tool_removal', tool: { type: 'tool_reference', name: 'get_weather' } }],
  };
  const DEFINED = {
    role: 'system',
    content: [
      { type: 'text', text: 'There is a clock now.' },
      {
        type: 'tool_addition',
        tool: { type: 'tool_definition', definition: { name: 'clock', input_schema: { type: 'object' } } },
      },
    ],
  };

  test.each<[string, object, string]>([
    ['tool_removal', CHANGE, 'mid-conversation-tool-changes-2026-07-01'],
    ['tool_addition', DEFINED, 'mid-conversation-tool-changes-2026-07-01,inline-tools-2026-09-15'],
    [
      'clear_at',
      { role: 'system', content: 'Hurry.', clear_at: 'next_user_message' },
      'mid-conversation-system-clear-at-2026-08-21',
    ],
    [
      'output_config',
      { role: 'system', output_config: { effort: 'low' } },
      'mid-conversation-output-config-2026-07-01',
    ],
  ])('a system message with %s: written in its own words, and sent again with its beta', async (_, message, beta) => {
    const { sent, betas, second } = await talk(anthropic, says('Hi'), {
      tools: [weather],
      messages: [user('Hello'), claude(message)],
    });
    expect(sent.map(({ messages }) => messages[1])).toEqual([message, message]);
    expect(betas).toEqual([beta, beta]);
    expect(second.losses).toEqual([]);
  });

  test.each([CHANGE, DEFINED, { role: 'system', output_config: { effort: 'low' } }])(
    'elsewhere it is a loss, and never an empty text: %j',
    async (message) => {
      const emulator = await start();
      const messages = [user('Hello'), claude(message), user('Go on')];
      for (const api of [google, anthropic, responses])
        expect((await ask(emulator, api, { messages }).result).losses.map((loss) => loss.message)).toContain(1);
      expectAccepted(emulator);
    },
  );

  test('input_transformations, toolset_name, mcp_tool_listing: read and kept', async () => {
    const transformations = [
      { type: 'thinking_dropped', path: 'messages.1.content.0', reason: 'model_binding_mismatch' },
    ];
    const listing = { type: 'mcp_tool_listing', mcp_server_name: 'files', tools: [{ name: 'read', input_schema: {} }] };
    const call = { type: 'tool_use', id: 'toolu_1', name: 'get_weather', input: {}, toolset_name: 'weather' };
    const emulator = await start();
    emulator.script('anthropic-messages', [
      {
        blocks: [native(listing), native(call)],
        stop: 'tool-use',
        extra: { envelope: { input_transformations: transformations } },
      },
    ]);
    const { steps } = await ask(emulator, anthropic, { messages: [user('Hello')], tools: [weather] }).result;
    expectAccepted(emulator);
    expect(JSON.parse(steps[0]!.envelope).input_transformations).toEqual(transformations);
    expect(JSON.parse(bodies(emulator)[1]!).messages[1].content).toEqual([listing, call]);
  });

  test('task_budget, speed, inference_geo, between_tools: passed through beside parameters of ours', async () => {
    const emulator = await start();
    await ask(emulator, anthropic, {
      messages: [user('Hello')],
      params: { reasoning: { effort: 'low' } },
      extraBody: {
        output_config: { task_budget: { type: 'tokens', total: 9000 } },
        speed: 'fast',
        inference_geo: 'us',
      },
    }).result;
    expectAccepted(emulator);
    expect(JSON.parse(bodies(emulator)[0]!).output_config).toEqual({
      effort: 'low',
      task_budget: { type: 'tokens', total: 9000 },
    });
  });

  test('betas of the caller stay, and none is named twice', async () => {
    const { betas } = await talk(anthropic, says('Hi'), {
      extraBody: { diagnostics: { previous_message_id: null } },
      extraHeaders: { 'Anthropic-Beta': 'mine-2026-01-01, cache-diagnosis-2026-04-07' },
    });
    expect(betas).toEqual(Array(2).fill('mine-2026-01-01,cache-diagnosis-2026-04-07'));
  });
});

describe('OpenAI', () => {
  test("configuration_update: written in its own words, holds its place, and is nobody's turn", async () => {
    const update = { type: 'configuration_update', reasoning: { effort: 'low' } };
    const { sent, second } = await talk(responses, says('Hi'), { messages: [user('Hello'), item(update)] });
    expect(sent.map(({ input }) => input[1])).toEqual([update, update]);
    expect(second.losses).toEqual([]);
    expect(item(update).role).toBe('other');
    const read = openaiResponses.readRequest(
      JSON.stringify({ model: 'm', input: [{ role: 'user', content: 'a' }, update] }),
    );
    expect(read.messages.map(({ role }) => role)).toEqual(['user', 'other']);
  });

  test.each([
    ['max_messages', 'length'],
    ['content_filter', 'filter'],
  ])('an incomplete response with the reason %s ends with %s', (native, reason) => {
    const body = { status: 'incomplete', incomplete_details: { reason: native }, output: [] };
    expect(openaiResponses.readResponse(JSON.stringify(body)).stop).toEqual({ reason, native });
  });

  test('an asynchronous call needs no result yet, and takes one later', async () => {
    const emulator = await start();
    emulator.script('openai-responses', [
      { blocks: [{ type: 'tool-use', name: 'research', input: {}, id: 'call_1', extra: { async: true } }] },
      says('I will see.'),
      says('It is done.'),
    ]);
    const tools = [
      { dialect: 'openai-responses', native: '{"type":"function","name":"research","parameters":{},"async":true}' },
    ];
    const options = { tools, limits: { steps: 1 } };
    const first = await ask(emulator, responses, { ...options, messages: [user('Research')] }).result;
    const call = first.messages[0]!;
    const second = await ask(emulator, responses, { ...options, messages: [user('Research'), call, user('And?')] })
      .result;
    expect(second.losses).toEqual([]);
    expect(bodies(emulator)[1]).not.toContain('function_call_output');
    const messages = [
      user('Research'),
      call,
      user('And?'),
      ...second.messages,
      toolResult('call_1', 'Found'),
      user('Now?'),
    ];
    for (const previous of [undefined, second.manifest]) {
      const third = await ask(emulator, responses, { ...options, messages, previous }).result;
      expect(third.losses).toEqual([]);
      const { input } = JSON.parse(bodies(emulator).at(-1)!);
      expect(input.map(({ type, role }: { type?: string; role?: string }) => type ?? role)).toEqual([
        ...['user', 'function_call', 'user', 'message', 'function_call_output', 'user'],
      ]);
    }
    expectAccepted(emulator);
    const { losses } = await ask(emulator, anthropic, { messages: [user('Research'), call, user('And?')] }).result;
    expect(losses).toContainEqual(expect.objectContaining({ kind: 'synthesised', reason: 'tool-unanswered' }));
  });

  test('new items and events: kept, and sent back as they came', async () => {
    const items = [
      {
        type: 'additional_tools',
        id: 'at_1',
        role: 'developer',
        tools: [{ type: 'function', name: 'f', parameters: {}, strict: false }],
      },
      { type: 'agent_message', id: 'am_1', content: [] },
    ];
    const emulator = await start({ settings: {} });
    emulator.script('openai-responses', [
      {
        blocks: [...items.map(native), { type: 'text', text: 'Hi' }],
        events: [
          {
            after: 2,
            event: 'response.compaction.compacting',
            data: { type: 'response.compaction.compacting', sequence_number: 1 },
          },
          {
            after: 3,
            event: 'response.shell_call_command.delta',
            data: { type: 'response.shell_call_command.delta', delta: 'ls' },
          },
        ],
      },
      says('Done.'),
    ]);
    const { messages, steps } = await ask(emulator, responses, { messages: [user('Hello')] }).result;
    expect(JSON.parse(messages[0]!.raw).slice(0, 2)).toEqual(items);
    expect(steps[0]!.envelope).toContain('response.compaction.compacting');
    await ask(emulator, responses, { messages: [user('Hello'), ...messages, user('Go on')] }).result;
    expectAccepted(emulator);
    expect(JSON.parse(bodies(emulator)[1]!).input.slice(1, 3)).toEqual(items);
  });

  test('access_programs, image, moderation, reasoning.mode, prompt_cache_options: passed through beside parameters of ours', async () => {
    const extraBody = {
      access_programs: { cyber: 'standard' },
      image: { context_compression: 'auto' },
      moderation: { model: 'm' },
      reasoning: { mode: 'pro', context: 'auto' },
      prompt_cache_options: { mode: 'explicit', ttl: '12h' },
    };
    const diagnostics = { type: 'cache_miss', reason: 'tools_changed', cache_missed_tokens: 3 };
    const { sent, envelope } = await talk(
      responses,
      says('Hi', {
        extra: { envelope: { prompt_cache_diagnostics: diagnostics, access_programs: null, tool_usage: {} } },
      }),
      { params: { reasoning: { effort: 'low' } }, extraBody },
    );
    expect(sent[0]).toMatchObject({ ...extraBody, reasoning: { effort: 'low', mode: 'pro', context: 'auto' } });
    expect(envelope).toMatchObject({ prompt_cache_diagnostics: diagnostics, access_programs: null, tool_usage: {} });
  });
});
