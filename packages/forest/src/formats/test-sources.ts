/** Sources of every format, written by hand from what the formats are. */
interface TestSource {
  readonly name: string;
  readonly text: string;
  readonly dialect?: string;
  readonly format: string;
  /** Roles along the path to the thread's head. */
  readonly roles: readonly string[];
}

const json = (value: unknown) => JSON.stringify(value);
const pretty = (value: unknown) => JSON.stringify(value, null, 2);

export const chatgptConversation = {
  title: 'Rivers',
  create_time: 1735689600.25,
  update_time: 1735689700.5,
  conversation_id: 'c-1',
  current_node: 'answer-2',
  default_model_slug: 'gpt-4o',
  is_archived: false,
  gizmo_id: null,
  mapping: {
    root: { id: 'root', message: null, parent: null, children: ['hidden'] },
    hidden: {
      id: 'hidden',
      parent: 'root',
      children: ['question'],
      message: {
        id: 'hidden',
        author: { role: 'system', name: null, metadata: {} },
        create_time: null,
        content: { content_type: 'text', parts: [''] },
        weight: 0,
        metadata: { is_visually_hidden_from_conversation: true },
        recipient: 'all',
      },
    },
    question: {
      id: 'question',
      parent: 'hidden',
      children: ['answer-1', 'code'],
      message: {
        id: 'question',
        author: { role: 'user', name: null, metadata: {} },
        create_time: 1735689601,
        content: {
          content_type: 'multimodal_text',
          parts: [
            { content_type: 'image_asset_pointer', asset_pointer: 'file-service://file-9', width: 10 },
            'Which river?',
          ],
        },
        recipient: 'all',
        metadata: {},
      },
    },
    'answer-1': {
      id: 'answer-1',
      parent: 'question',
      children: [],
      message: {
        id: 'answer-1',
        author: { role: 'assistant', name: null, metadata: {} },
        create_time: 1735689602,
        content: { content_type: 'text', parts: ['The Rhine.'] },
        recipient: 'all',
        metadata: { model_slug: 'gpt-4o' },
      },
    },
    code: {
      id: 'code',
      parent: 'question',
      children: ['output'],
      message: {
        id: 'code',
        author: { role: 'assistant', name: null, metadata: {} },
        create_time: 1735689603,
        content: { content_type: 'code', language: 'python', text: 'print(1)' },
        recipient: 'python',
        metadata: { model_slug: 'gpt-4o' },
      },
    },
    output: {
      id: 'output',
      parent: 'code',
      children: ['thought'],
      message: {
        id: 'output',
        author: { role: 'tool', name: 'python', metadata: {} },
        create_time: 1735689604,
        content: { content_type: 'execution_output', text: '1' },
        recipient: 'all',
        metadata: {},
      },
    },
    thought: {
      id: 'thought',
      parent: 'output',
      children: ['answer-2'],
      message: {
        id: 'thought',
        author: { role: 'assistant', name: null, metadata: {} },
        create_time: 1735689605,
        content: { content_type: 'thoughts', thoughts: [{ summary: 'Rivers', content: 'Maybe the Elbe' }] },
        recipient: 'all',
        metadata: {},
      },
    },
    'answer-2': {
      id: 'answer-2',
      parent: 'thought',
      children: [],
      message: {
        id: 'answer-2',
        author: { role: 'assistant', name: null, metadata: {} },
        create_time: 1735689606,
        content: { content_type: 'text', parts: ['The Elbe.'] },
        recipient: 'all',
        metadata: { model_slug: 'gpt-5', big: 0 },
      },
    },
  },
};

export const claudeConversation = {
  uuid: 'k-1',
  name: 'Weather',
  created_at: '2025-01-01T00:00:00.000000Z',
  updated_at: '2025-01-01T00:01:00.000000Z',
  account: { uuid: 'acc' },
  chat_messages: [
    {
      uuid: 'm-1',
      text: 'Weather?',
      content: [{ type: 'text', text: 'Weather?', citations: [] }],
      sender: 'human',
      created_at: '2025-01-01T00:00:01Z',
      attachments: [{ file_name: 'cities.txt', file_type: 'txt', file_size: 5, extracted_content: 'Paris' }],
      files: [{ file_name: 'map.png', file_uuid: 'f-1' }],
      parent_message_uuid: '00000000-0000-4000-8000-000000000000',
    },
    {
      uuid: 'm-2',
      text: '',
      sender: 'assistant',
      created_at: '2025-01-01T00:00:02Z',
      content: [
        { type: 'thinking', thinking: 'Look it up' },
        { type: 'tool_use', id: 'toolu_1', name: 'weather', input: { city: 'Paris' } },
        {
          type: 'tool_result',
          tool_use_id: 'toolu_1',
          name: 'weather',
          content: [{ type: 'text', text: 'Sun' }],
          is_error: false,
        },
        { type: 'text', text: 'Sunny.' },
      ],
      attachments: [],
      files: [],
      parent_message_uuid: 'm-1',
    },
    {
      uuid: 'm-3',
      text: 'Rainy.',
      sender: 'assistant',
      created_at: '2025-01-01T00:00:03Z',
      content: [{ type: 'text', text: 'Rainy.' }],
      attachments: [],
      files: [],
      parent_message_uuid: 'm-1',
    },
  ],
  current_leaf_message_uuid: 'm-2',
};

export const uiChat = [
  {
    id: 'u1',
    role: 'user',
    parts: [
      { type: 'text', text: 'Hi' },
      { type: 'file', mediaType: 'image/png', url: 'data:image/png;base64,AA==', filename: 'x.png' },
    ],
  },
  {
    id: 'a1',
    role: 'assistant',
    metadata: { took: 3 },
    parts: [
      { type: 'step-start' },
      { type: 'reasoning', text: 'Two calls' },
      { type: 'tool-weather', toolCallId: 't1', state: 'output-available', input: { city: 'Oslo' }, output: { c: 4 } },
      {
        type: 'dynamic-tool',
        toolName: 'time',
        toolCallId: 't2',
        state: 'output-error',
        input: {},
        errorText: 'no clock',
      },
      { type: 'step-start' },
      { type: 'data-chart', data: [1] },
      { type: 'text', text: 'Four degrees.', state: 'done' },
    ],
  },
];

const SOURCES: readonly TestSource[] = [
  {
    name: 'an array of chat completions',
    format: 'messages',
    dialect: 'openai-chat',
    text: '[{"role":"system","content":"Be brief."}, {"role":"user","content":"n?"},\n{"role":"assistant","content":"x","n":9007199254740993}]',
    roles: ['system', 'user', 'assistant'],
  },
  {
    name: 'JSON lines of Anthropic messages',
    format: 'messages',
    dialect: 'anthropic-messages',
    text: '{"role":"user","content":"Hi"}\n\n{"role":"assistant","content":[{"type":"text","text":"Hello"}]}\n',
    roles: ['user', 'assistant'],
  },
  {
    name: 'an array of Google contents',
    format: 'messages',
    dialect: 'google-generatecontent',
    text: json([
      { role: 'user', parts: [{ text: 'Hi' }] },
      { role: 'model', parts: [{ text: 'Hello' }] },
    ]),
    roles: ['user', 'assistant'],
  },
  {
    name: 'Responses items, those of one reply together',
    format: 'messages',
    dialect: 'openai-responses',
    text: json([
      { role: 'user', content: 'Hi' },
      { type: 'reasoning', id: 'rs_1', summary: [] },
      {
        type: 'message',
        role: 'assistant',
        id: 'msg_1',
        content: [{ type: 'output_text', text: 'Hello', annotations: [] }],
      },
    ]),
    roles: ['user', 'assistant'],
  },
  {
    name: 'messages of the older shape',
    format: 'messages',
    dialect: 'legacy',
    text: json([
      { role: 'user', content: 'Hi' },
      { role: 'assistant', content: 'Hello' },
    ]),
    roles: ['user', 'assistant'],
  },
  {
    name: 'a list of version "1.0"',
    format: 'message-list',
    text: pretty({
      messages: [
        { type: 'AgentMessage', text: 'Be brief', role: 'system' },
        { type: 'TextMessage', text: 'Weather?', role: 'user' },
        {
          type: 'ToolCallMessage',
          message: 'Let me look',
          tool_name: 'weather',
          tool_call_id: 'c1',
          arguments: { city: 'Paris' },
          result: 8,
          error: null,
          role: 'assistant',
        },
      ],
      version: '1.0',
    }),
    roles: ['system', 'user', 'assistant', 'tool'],
  },
  {
    name: 'a state of version 1',
    format: 'chat-state',
    text: json({
      version: 1,
      provider: 'openai',
      processed_length: 2,
      messages: [
        { role: 'user', content: 'Weather?' },
        { role: 'assistant', content: 'Sun', reasoning_content: 'kept verbatim' },
      ],
    }),
    roles: ['user', 'assistant'],
  },
  {
    name: 'fine-tuning examples',
    format: 'fine-tuning',
    text: `${json({
      messages: [
        { role: 'user', content: 'a' },
        { role: 'assistant', content: 'b', weight: 0 },
      ],
      parallel_tool_calls: false,
    })}\n${json({
      messages: [
        { role: 'user', content: 'a' },
        { role: 'assistant', content: 'c' },
      ],
    })}`,
    roles: ['user', 'assistant'],
  },
  {
    name: "ChatGPT's export",
    format: 'chatgpt',
    text: json([chatgptConversation]),
    roles: ['system', 'user', 'assistant', 'tool', 'assistant', 'assistant'],
  },
  {
    name: "Claude's export",
    format: 'claude',
    text: pretty([claudeConversation]),
    roles: ['user', 'assistant', 'tool', 'assistant'],
  },
  {
    name: 'UI messages',
    format: 'ui-messages',
    text: json(uiChat),
    roles: ['user', 'assistant', 'tool', 'tool', 'assistant'],
  },
  {
    name: 'UI messages of version 4',
    format: 'ui-messages',
    text: json([
      { id: '1', role: 'user', content: 'Hi', createdAt: '2025-01-01T00:00:00.000Z', toolInvocations: [] },
      {
        id: '2',
        role: 'assistant',
        content: 'Let me see',
        toolInvocations: [{ state: 'result', toolCallId: 't', toolName: 'f', args: { a: 1 }, result: 'ok' }],
      },
    ]),
    roles: ['user', 'assistant', 'tool'],
  },
  {
    name: "LangChain's stored messages",
    format: 'langchain',
    text: json([
      { type: 'system', data: { content: 'Be brief', additional_kwargs: {} } },
      {
        type: 'human',
        data: {
          content: [
            { type: 'text', text: 'Hi' },
            { type: 'image_url', image_url: { url: 'https://x.test/a.png' } },
          ],
          id: 'h',
        },
      },
      {
        type: 'ai',
        data: {
          content: '',
          tool_calls: [{ name: 'f', args: { a: 1 }, id: 'c1', type: 'tool_call' }],
          usage_metadata: {
            input_tokens: 10,
            output_tokens: 5,
            total_tokens: 15,
            output_token_details: { reasoning: 2 },
          },
          response_metadata: { model_name: 'gpt-4o' },
        },
      },
      { type: 'tool', data: { content: 'ok', tool_call_id: 'c1', status: 'success', name: 'f' } },
    ]),
    roles: ['system', 'user', 'assistant', 'tool'],
  },
  {
    name: 'LangChain objects with their class',
    format: 'langchain',
    text: json([
      {
        lc: 1,
        type: 'constructor',
        id: ['langchain_core', 'messages', 'HumanMessage'],
        kwargs: { content: 'Hi', additional_kwargs: {} },
      },
      {
        lc: 1,
        type: 'constructor',
        id: ['langchain', 'schema', 'messages', 'AIMessageChunk'],
        kwargs: {
          content: '',
          additional_kwargs: {
            tool_calls: [{ id: 'c', type: 'function', function: { name: 'f', arguments: '{"a": 1}' } }],
          },
        },
      },
    ]),
    roles: ['user', 'assistant'],
  },
];

export { SOURCES };
