import { anthropicMessages, googleGenerateContent, openaiChat, openaiResponses } from '@skein/core';
import { readBlocks, serving } from '@skein/core/dialect';
import { describe, expect, it } from 'vitest';
import { adapt } from './test-adapt.ts';

const patch = {
  type: 'custom',
  name: 'apply_patch',
  description: 'Applies a patch.',
  format: { type: 'grammar', syntax: 'lark', definition: 'start: "x"' },
};
const natives = [
  patch,
  { type: 'local_shell' },
  { type: 'shell' },
  { type: 'function', name: 'f', parameters: null, strict: true },
];
const head = { id: 'resp_1', model: 'm', created: 1 };

/** The reply of Anthropic that calls one tool, in the client's protocol: whole, and as events. */
async function answer(client: typeof openaiResponses, tools: readonly object[], name: string, input: object) {
  const { served } = await adapt(client, { model: 'm', input: 'Go', messages: [], tools }, 'anthropic');
  const reply = anthropicMessages.readResponse(
    JSON.stringify({
      ...{ id: 'msg_1', type: 'message', role: 'assistant', model: 'c', stop_reason: 'tool_use' },
      content: [{ type: 'tool_use', id: 'toolu_1', name, input }],
      usage: { input_tokens: 1, output_tokens: 1 },
    }),
  );
  const server = serving(client);
  const whole = server.writeReply!({ ...head, ...reply, tools: served });
  const writer = server.writeStream!({ ...head, dialect: 'anthropic-messages', tools: served });
  const reader = readBlocks(anthropicMessages);
  const events: [string, object][] = [
    [
      'message_start',
      {
        message: {
          id: 'msg_1',
          type: 'message',
          role: 'assistant',
          content: [],
          model: 'c',
          usage: { input_tokens: 1, output_tokens: 1 },
        },
      },
    ],
    ['content_block_start', { index: 0, content_block: { type: 'tool_use', id: 'toolu_1', name, input: {} } }],
    ['content_block_delta', { index: 0, delta: { type: 'input_json_delta', partial_json: JSON.stringify(input) } }],
    ['content_block_stop', { index: 0 }],
    ['message_delta', { delta: { stop_reason: 'tool_use' }, usage: { output_tokens: 5 } }],
    ['message_stop', {}],
  ];
  let streamed = '';
  for (const [event, data] of events)
    for (const one of reader.push(event, JSON.stringify({ type: event, ...data }))) streamed += writer.push(one);
  const end = reader.finish();
  for (const one of end.events) streamed += writer.push(one);
  streamed += writer.finish(end.reply);
  return { whole: JSON.parse(whole.body), streamed };
}

describe('tools that the client runs', () => {
  it('go out as functions with a schema, and are reported', async () => {
    const { body, notes } = await adapt(openaiResponses, { model: 'm', input: 'Go', tools: natives }, 'anthropic');
    expect(body.tools).toMatchObject([
      { name: 'apply_patch', input_schema: { required: ['input'] } },
      { name: 'local_shell', input_schema: { required: ['command'] } },
      { name: 'shell', input_schema: { required: ['commands'] } },
      { name: 'f', input_schema: { type: 'object' } },
    ]);
    expect(JSON.stringify(body.tools)).toContain('start: \\"x\\"');
    expect(notes).toEqual(
      expect.arrayContaining([
        'rewritten tools[0] client-tool apply_patch',
        'dropped tools[0] unknown-field format',
        'rewritten tools[1] client-tool local_shell',
        'dropped tools[3] unknown-field strict',
      ]),
    );
  });

  it('are called in their own kind by whole and streamed replies', async () => {
    const custom = await answer(openaiResponses, natives, 'apply_patch', { input: '*** Begin' });
    expect(custom.whole.output).toMatchObject([
      { type: 'custom_tool_call', call_id: 'toolu_1', name: 'apply_patch', input: '*** Begin' },
    ]);
    expect(custom.streamed).toContain('response.custom_tool_call_input.done');
    expect(custom.streamed).toContain('"type":"custom_tool_call"');
    const shell = await answer(openaiResponses, natives, 'local_shell', { command: ['ls', '-l'] });
    expect(shell.whole.output).toMatchObject([
      { type: 'local_shell_call', call_id: 'toolu_1', action: { type: 'exec', command: ['ls', '-l'], env: {} } },
    ]);
    expect(shell.streamed).toContain('"type":"local_shell_call"');
    expect(shell.streamed).not.toContain('function_call');
  });

  it('keep their calls and results in the history', async () => {
    const input = [
      { role: 'user', content: 'Go' },
      {
        type: 'local_shell_call',
        id: 'lsh_1',
        call_id: 'call_1',
        status: 'completed',
        action: { type: 'exec', command: ['ls'], env: {} },
      },
      { type: 'local_shell_call_output', id: 'call_1', output: 'a.txt' },
      { type: 'shell_call', id: 'sh_1', call_id: 'call_2', status: 'completed', action: { commands: ['pwd'] } },
      {
        type: 'shell_call_output',
        call_id: 'call_2',
        output: [{ stdout: '/root', stderr: '', outcome: { type: 'exit', exit_code: 0 } }],
      },
      { type: 'custom_tool_call', call_id: 'call_3', name: 'apply_patch', input: '*** Begin' },
      { type: 'custom_tool_call_output', call_id: 'call_3', output: 'Done' },
    ];
    const { body, notes } = await adapt(openaiResponses, { model: 'm', input, tools: natives }, 'chat');
    expect(body.messages).toMatchObject([
      { role: 'user' },
      { tool_calls: [{ id: 'call_1', function: { name: 'local_shell', arguments: '{"command":["ls"],"env":{}}' } }] },
      { role: 'tool', tool_call_id: 'call_1', content: 'a.txt' },
      { tool_calls: [{ id: 'call_2', function: { name: 'shell' } }] },
      { role: 'tool', tool_call_id: 'call_2', content: '/root\n(exit code 0)' },
      {
        tool_calls: [
          { id: 'call_3', type: 'function', function: { name: 'apply_patch', arguments: '{"input":"*** Begin"}' } },
        ],
      },
      { role: 'tool', tool_call_id: 'call_3', content: 'Done' },
    ]);
    expect(notes.filter((note) => note.includes('unknown-block') || note.includes('server-tool'))).toEqual([]);
  });

  it('of Anthropic have the schemas that its models know', async () => {
    const tools = [
      { type: 'bash_20250124', name: 'bash' },
      { type: 'text_editor_20250728', name: 'str_replace_based_edit_tool', max_characters: 5 },
      { type: 'computer_20250124', name: 'computer', display_width_px: 800, display_height_px: 600 },
      { type: 'memory_20250818', name: 'memory' },
      { name: 'f', input_schema: { type: 'object' }, cache_control: { type: 'ephemeral' } },
    ];
    const messages = [{ role: 'user', content: 'Go' }];
    const { body, notes } = await adapt(anthropicMessages, { model: 'm', max_tokens: 9, messages, tools }, 'responses');
    expect(body.tools).toMatchObject([
      { type: 'function', name: 'bash' },
      { name: 'str_replace_based_edit_tool' },
      { name: 'computer', description: expect.stringContaining('800x600') },
      { name: 'memory' },
      { name: 'f' },
    ]);
    expect(notes).toContain('dropped tools[1] unknown-field max_characters');
  });

  it('keep their namespace', async () => {
    const tools = [
      {
        type: 'namespace',
        name: 'crm',
        description: 'CRM',
        tools: [{ type: 'function', name: 'find', parameters: { type: 'object' } }],
      },
    ];
    const { whole, streamed } = await answer(openaiResponses, tools, 'crm__find', { a: 1 });
    expect(whole.output).toMatchObject([{ type: 'function_call', name: 'find', namespace: 'crm' }]);
    expect(streamed).toContain('"namespace":"crm"');
  });
});

describe('functions whose arguments are held to their schema', () => {
  const strict = { type: 'function', function: { name: 'a.b', parameters: { type: 'object' }, strict: true } };
  const messages = [{ role: 'user', content: 'Go' }];

  it('stay so where the target can, and are reported otherwise', async () => {
    const { body, served, notes } = await adapt(openaiChat, { model: 'm', messages, tools: [strict] }, 'responses');
    const [tool] = body.tools as { name: string; strict: boolean }[];
    expect(tool).toMatchObject({ type: 'function', strict: true });
    expect(served.get(tool!.name)).toEqual({ name: 'a.b' });
    expect(notes).toEqual([]);
    const google = await adapt(openaiChat, { model: 'm', messages, tools: [strict] }, 'google');
    expect(google.notes).toContain('dropped tools[0] unknown-field strict');
  });
});

describe('tools of the vendor', () => {
  it('become those of the target, where it has the same, and are reported otherwise', async () => {
    const search = await adapt(openaiResponses, { model: 'm', input: 'Go', tools: [{ type: 'web_search' }] }, 'google');
    expect(search.body.tools).toEqual([{ googleSearch: {} }]);
    const files = await adapt(openaiResponses, { model: 'm', input: 'Go', tools: [{ type: 'file_search' }] }, 'google');
    expect(files.body.tools).toBeUndefined();
    expect(files.notes).toContain('dropped tools[0] server-tool');
  });
});

describe('names', () => {
  it('that a target refuses are replaced, in the choice as well, and come back', async () => {
    const name = `mcp__server.with.dots__${'x'.repeat(80)}`;
    const tools = [{ functionDeclarations: [{ name, parametersJsonSchema: { type: 'object' } }] }];
    const toolConfig = { functionCallingConfig: { mode: 'ANY', allowedFunctionNames: [name] } };
    const contents = [{ role: 'user', parts: [{ text: 'Go' }] }];
    const { body, served } = await adapt(googleGenerateContent, { contents, tools, toolConfig }, 'chat');
    const [tool] = body.tools as { function: { name: string } }[];
    expect(tool!.function.name).toMatch(/^[a-zA-Z0-9_-]{1,64}$/);
    expect(body.tool_choice).toEqual({ type: 'function', function: { name: tool!.function.name } });
    expect(served.get(tool!.function.name)).toEqual({ name });
  });

  it('map back for all names', async () => {
    const letters = 'ab.-_: é/9';
    let seed = 7;
    const random = (below: number): number => {
      seed = (seed * 48_271) % 2_147_483_647;
      return seed % below;
    };
    const names = new Set(
      Array.from({ length: 400 }, () =>
        Array.from({ length: 1 + random(90) }, () => letters[random(letters.length)]).join(''),
      ),
    );
    const tools = [...names].map((name) => ({ type: 'function', function: { name, parameters: { type: 'object' } } }));
    for (const target of ['anthropic', 'responses', 'google', 'bedrock'] as const) {
      const { body, served } = await adapt(
        openaiChat,
        { model: 'm', messages: [{ role: 'user', content: 'Go' }], tools },
        target,
      );
      const sent = [...JSON.stringify(body).matchAll(/"name":"([^"]*)"/g)].map(([, name]) => name!);
      expect(sent).toHaveLength(names.size);
      expect(sent.map((name) => served.get(name)?.name ?? name)).toEqual([...names]);
    }
  });
});
