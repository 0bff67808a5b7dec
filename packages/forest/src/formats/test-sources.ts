import { chatgptConversation } from './test-chatgpt.ts';
import { claudeConversation } from './test-claude.ts';
import { uiChat } from './test-ui-messages.ts';

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

export const SOURCES: readonly TestSource[] = [
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
    roles: ['user', 'assistant', 'tool', 'assistant', 'assistant'],
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
