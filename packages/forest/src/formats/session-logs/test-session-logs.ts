/** Logs of coding agents, written by hand from what the formats are. */

const lines = (...values: readonly unknown[]) => `${values.map((value) => JSON.stringify(value)).join('\n')}\n`;
const at = (second: number) => new Date(Date.UTC(2026, 10, 1, 12, 0, second)).toISOString();

const SHARED = {
  sessionId: 'session-1',
  cwd: '/home/mira/shop',
  gitBranch: 'main',
  version: '2.1.0',
  isSidechain: false,
};

function claudeUser(uuid: string, parentUuid: string | null, content: unknown, second: number, more: object = {}) {
  return {
    ...SHARED,
    type: 'user',
    uuid,
    parentUuid,
    timestamp: at(second),
    message: { role: 'user', content },
    ...more,
  };
}

function claudeBlock(uuid: string, parentUuid: string, id: string, block: unknown, second: number) {
  const usage = { input_tokens: 10, cache_read_input_tokens: 90, output_tokens: 5 };
  const message = {
    id,
    type: 'message',
    role: 'assistant',
    model: 'claude-opus-5-5',
    content: [block],
    stop_reason: 'tool_use',
    usage,
  };
  return { ...SHARED, type: 'assistant', uuid, parentUuid, timestamp: at(second), message };
}

/** Two calls at once, a rewound question, lines beside the messages, and a compaction with a message behind it. */
export const CLAUDE_CODE_LOG = lines(
  { type: 'queue-operation', operation: 'enqueue', sessionId: 'session-1', timestamp: at(0) },
  claudeUser('u1', null, 'Compare the two files', 1, { permissionMode: 'default' }),
  {
    ...SHARED,
    type: 'attachment',
    uuid: 'x1',
    parentUuid: 'u1',
    timestamp: at(1),
    attachment: { type: 'skill_listing' },
  },
  claudeBlock('a1', 'x1', 'msg_1', { type: 'thinking', thinking: 'Both.', signature: 'c2VhbA==' }, 2),
  claudeBlock('a2', 'a1', 'msg_1', { type: 'tool_use', id: 'toolu_1', name: 'Read', input: { file_path: 'a.txt' } }, 2),
  claudeUser('r1', 'a2', [{ type: 'tool_result', tool_use_id: 'toolu_1', content: 'A' }], 3, {
    toolUseResult: { type: 'text' },
    sourceToolAssistantUUID: 'a2',
  }),
  claudeBlock('a3', 'a2', 'msg_1', { type: 'tool_use', id: 'toolu_2', name: 'Read', input: { file_path: 'b.txt' } }, 2),
  claudeUser('r2', 'a3', [{ type: 'tool_result', tool_use_id: 'toolu_2', content: 'B' }], 3, {
    sourceToolAssistantUUID: 'a3',
  }),
  claudeBlock('a4', 'r2', 'msg_2', { type: 'text', text: 'They differ.' }, 4),
  claudeUser('u2', 'a4', 'Merge them', 5),
  claudeBlock('a5', 'u2', 'msg_3', { type: 'text', text: 'Merged.' }, 6),
  claudeUser('u3', 'a4', 'Leave them', 7),
  claudeBlock('a6', 'u3', 'msg_4', { type: 'text', text: 'Left.' }, 8),
  {
    ...SHARED,
    type: 'system',
    subtype: 'compact_boundary',
    uuid: 'c1',
    parentUuid: null,
    logicalParentUuid: 'a6',
    timestamp: at(9),
    compactMetadata: { trigger: 'manual', preservedMessages: { uuids: ['a6'] } },
  },
  claudeUser('s1', 'c1', 'The summary: two files were compared.', 9, { isCompactSummary: true }),
  claudeUser('u4', 's1', 'And now?', 10),
  claudeBlock('a7', 'u4', 'msg_5', { type: 'text', text: 'Done.' }, 11),
  { type: 'last-prompt', leafUuid: 'a7', sessionId: 'session-1' },
  { type: 'custom-title', customTitle: 'Two files', sessionId: 'session-1' },
);

const item = (second: number, payload: unknown) => ({ timestamp: at(second), type: 'response_item', payload });

/** A call, its usage, a compaction, and a turn that was taken back. */
export const CODEX_LOG = lines(
  {
    timestamp: at(0),
    type: 'session_meta',
    payload: { id: 'thread-1', cwd: '/home/mira/shop', cli_version: '0.166.0', git: { branch: 'main' } },
  },
  { timestamp: at(0), type: 'turn_context', payload: { model: 'gpt-5.5' } },
  item(1, { type: 'message', role: 'developer', content: [{ type: 'input_text', text: 'Be exact.' }] }),
  item(2, {
    type: 'message',
    id: 'msg_u1',
    role: 'user',
    content: [{ type: 'input_text', text: 'What is in the note?' }],
    internal_chat_message_metadata_passthrough: { turn_id: 't1' },
  }),
  item(3, { type: 'reasoning', id: 'rs_1', summary: [], content: null, encrypted_content: 'gAAA' }),
  item(3, { type: 'function_call', id: 'fc_1', call_id: 'call_1', name: 'exec', arguments: '{"cmd":"cat note"}' }),
  {
    timestamp: at(3),
    type: 'token_usage_record',
    payload: {
      response_id: 'resp_1',
      usage: { input_tokens: 100, cached_input_tokens: 60, output_tokens: 7, reasoning_output_tokens: 2 },
    },
  },
  item(4, { type: 'function_call_output', call_id: 'call_1', output: 'hello' }),
  item(5, {
    type: 'message',
    id: 'msg_1',
    role: 'assistant',
    phase: 'final_answer',
    content: [{ type: 'output_text', text: 'It says hello.', annotations: [] }],
  }),
  {
    timestamp: at(5),
    type: 'token_usage_record',
    payload: { response_id: 'resp_2', usage: { input_tokens: 120, output_tokens: 6 } },
  },
  item(6, { type: 'message', role: 'user', content: [{ type: 'input_text', text: 'Shorter' }] }),
  item(7, { type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'Hello.', annotations: [] }] }),
  { timestamp: at(8), type: 'event_msg', payload: { type: 'thread_rolled_back', num_turns: 1 } },
  item(9, { type: 'message', role: 'user', content: [{ type: 'input_text', text: 'Longer' }] }),
  item(10, {
    type: 'message',
    role: 'assistant',
    content: [{ type: 'output_text', text: 'It says hello to you.', annotations: [] }],
  }),
);

/** A call whose result stands in two places, and a resume that repeats the history. */
export const GEMINI_CLI_LOG = lines(
  { sessionId: 'gemini-1', projectHash: 'abc', startTime: at(0), kind: 'main' },
  { id: 'g1', timestamp: at(1), type: 'user', content: [{ text: 'What is in the note?' }] },
  {
    id: 'g2',
    timestamp: at(2),
    type: 'gemini',
    content: '',
    thoughts: [{ subject: '', description: 'Read it.' }],
    model: 'gemini-3-pro',
  },
  {
    id: 'g2',
    timestamp: at(2),
    type: 'gemini',
    content: '',
    thoughts: [{ subject: '', description: 'Read it.' }],
    model: 'gemini-3-pro',
    tokens: { input: 100, output: 5, cached: 40, thoughts: 3 },
    toolCalls: [
      {
        id: 'read__1',
        name: 'read_file',
        args: { path: 'note' },
        result: [{ functionResponse: { id: 'read__1', name: 'read_file', response: { output: 'hello' } } }],
        status: 'success',
      },
    ],
  },
  {
    id: 'g3',
    timestamp: at(3),
    type: 'user',
    content: [{ functionResponse: { id: 'read__1', name: 'read_file', response: { output: 'hello' } } }],
  },
  { id: 'g4', timestamp: at(4), type: 'gemini', content: 'It says hello.', model: 'gemini-3-pro' },
  {
    $set: {
      messages: [
        { id: 'g1', timestamp: at(5), type: 'user', content: [{ text: 'What is in the note?' }] },
        { id: 'g4', timestamp: at(5), type: 'gemini', content: [{ text: 'It says hello.' }] },
      ],
      lastUpdated: at(5),
    },
  },
  { id: 'g5', timestamp: at(6), type: 'user', content: [{ text: 'Thanks' }] },
  { id: 'g6', timestamp: at(7), type: 'gemini', content: 'You are welcome.', model: 'gemini-3-pro' },
);

/** What a compaction left of the history: new records, and the last reply under another id. */
const COMPACTED = [
  { id: 'g7', timestamp: at(8), type: 'user', content: [{ text: 'The summary: a note says hello.' }] },
  { id: 'g8', timestamp: at(8), type: 'gemini', content: [{ text: 'Got it.' }] },
  { id: 'g9', timestamp: at(8), type: 'gemini', content: [{ text: 'You are welcome.' }] },
];
const AND_NOW = { id: 'g10', timestamp: at(9), type: 'user', content: [{ text: 'And now?' }] };

/** The same with a compaction, which a resume repeats. */
export const GEMINI_CLI_COMPACTED =
  GEMINI_CLI_LOG +
  lines(
    { $set: { messages: COMPACTED } },
    AND_NOW,
    { $set: { messages: [...COMPACTED, AND_NOW] } },
    { id: 'g11', timestamp: at(10), type: 'gemini', content: 'Done.', model: 'gemini-3-pro' },
  );

const entry = (id: string, parentId: string | null, second: number, message: unknown) => ({
  type: 'message',
  id,
  parentId,
  timestamp: at(second),
  message,
});

/** Replies by three protocols in one session, and two branches. */
export const PI_LOG = lines(
  { type: 'session', version: 3, id: 'pi-1', timestamp: at(0), cwd: '/home/mira/shop' },
  {
    type: 'model_change',
    id: 'e0',
    parentId: null,
    timestamp: at(0),
    provider: 'anthropic',
    modelId: 'claude-opus-5-5',
  },
  entry('e1', 'e0', 1, { role: 'user', content: [{ type: 'text', text: 'What is in the note?' }] }),
  entry('e2', 'e1', 2, {
    role: 'assistant',
    api: 'anthropic-messages',
    model: 'claude-opus-5-5',
    content: [
      { type: 'thinking', thinking: 'Read it.', thinkingSignature: 'c2VhbA==' },
      { type: 'toolCall', id: 'toolu_1', name: 'read', arguments: { path: 'note' } },
    ],
    usage: { input: 10, output: 5, cacheRead: 90, cacheWrite: 0 },
    responseId: 'msg_1',
  }),
  entry('e3', 'e2', 3, {
    role: 'toolResult',
    toolCallId: 'toolu_1',
    toolName: 'read',
    content: [{ type: 'text', text: 'hello' }],
    isError: false,
  }),
  entry('e4', 'e3', 4, {
    role: 'assistant',
    api: 'openai-responses',
    model: 'gpt-5.5',
    content: [
      {
        type: 'thinking',
        thinking: 'Say it.',
        thinkingSignature: '{"id":"rs_1","type":"reasoning","summary":[],"encrypted_content":"gAAA"}',
      },
      { type: 'text', text: 'It says hello.', textSignature: '{"v":1,"id":"msg_2","phase":"final_answer"}' },
    ],
  }),
  entry('e5', 'e4', 5, { role: 'user', content: [{ type: 'text', text: 'Shorter' }] }),
  entry('e6', 'e5', 6, {
    role: 'assistant',
    api: 'google-generative-ai',
    model: 'gemini-3-pro',
    content: [{ type: 'text', text: 'Hello.', textSignature: 'Z3NlYWw=' }],
  }),
  entry('e7', 'e4', 7, { role: 'user', content: [{ type: 'text', text: 'Longer' }] }),
  entry('e8', 'e7', 8, {
    role: 'assistant',
    api: 'openai-completions',
    model: 'gpt-4o',
    content: [
      { type: 'thinking', thinking: 'More.', thinkingSignature: 'reasoning_content' },
      { type: 'text', text: 'It says hello to you.' },
    ],
  }),
);

const part = (type: string, more: object) => ({ id: `prt_${type}`, type, ...more });

/** As `opencode export` prints it. */
export const OPENCODE_SESSION = JSON.stringify({
  info: {
    id: 'ses_1',
    directory: '/home/mira/shop',
    title: 'The note',
    version: '1.18.0',
    time: { created: 1, updated: 2 },
  },
  messages: [
    {
      info: { id: 'msg_1', role: 'user', sessionID: 'ses_1', time: { created: 1793880001000 } },
      parts: [part('text', { text: 'What is in the note?' })],
    },
    {
      info: {
        id: 'msg_2',
        role: 'assistant',
        sessionID: 'ses_1',
        modelID: 'claude-opus-5-5',
        providerID: 'anthropic',
        time: { created: 1793880002000 },
      },
      parts: [
        part('step-start', {}),
        part('reasoning', { text: 'Read it.', metadata: { anthropic: { signature: 'c2VhbA==' } } }),
        part('tool', {
          tool: 'read',
          callID: 'toolu_1',
          state: { status: 'completed', input: { path: 'note' }, output: 'hello', title: 'note' },
        }),
        part('step-finish', {
          reason: 'tool-calls',
          tokens: { input: 100, output: 5, reasoning: 0, cache: { read: 0, write: 0 } },
        }),
      ],
    },
    {
      info: {
        id: 'msg_3',
        role: 'assistant',
        sessionID: 'ses_1',
        modelID: 'gpt-5.5',
        providerID: 'openai',
        time: { created: 1793880003000 },
      },
      parts: [
        part('step-start', {}),
        part('reasoning', {
          text: 'Say it.',
          metadata: { openai: { itemId: 'rs_1', reasoningEncryptedContent: 'gAAA' } },
        }),
        part('text', { text: 'It says hello.', metadata: { openai: { itemId: 'msg_9', phase: 'final_answer' } } }),
        part('step-finish', {
          reason: 'stop',
          tokens: { input: 120, output: 6, reasoning: 2, cache: { read: 80, write: 0 } },
        }),
      ],
    },
  ],
});
