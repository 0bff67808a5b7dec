import { describe, expect, it } from 'vitest';
import {
  anthropicMessages,
  googleGenerateContent,
  openaiChat,
  openaiResponses,
  toolResult,
  user,
  writeRequest,
} from '../../src/index.ts';
import { readChunks } from '../corpus/streamed.ts';
import { sseText } from '../fixtures/sse-text.ts';

/** Small cases that larger tests found. */
describe('nothing is dropped', () => {
  it('of an object beside the choices that comes again with other members', () => {
    const chunk = (delta: string, more: string) =>
      `{"id":"c1","choices":[{"index":0,"delta":${delta}}],"x_groq":${more}}`;
    const sse = sseText([
      [undefined, chunk('{"role":"assistant","content":"Hi"}', '{"id":"req_1","seed":2512292042121000001}')],
      [undefined, chunk('{}', '{"id":"req_1","usage":{"total_time":1.0}}')],
      [undefined, '[DONE]'],
    ]);
    const { envelope } = readChunks('openai-chat', [sse]).reply;
    expect(envelope).toContain('"seed":2512292042121000001');
    expect(envelope).toContain('"total_time":1.0');
  });

  it('of the spelling of names in an event that nobody knows', () => {
    const data = String.raw`{"type":"x_news","x_\u00e9":{ "a\/b" : 1.0}}`;
    for (const { id } of [openaiChat, openaiResponses, anthropicMessages, googleGenerateContent])
      expect(readChunks(id, [sseText([['x_news', data]])]).reply.envelope).toContain(data);
  });

  it('of the spelling of names in a block that arrives in pieces', () => {
    const sse = sseText([
      [
        'content_block_start',
        String.raw`{"type":"content_block_start","index":0,"content_block":{"type":"x_new","x_\u00e9":1.0}}`,
      ],
      ['content_block_stop', '{"type":"content_block_stop","index":0}'],
    ]);
    expect(readChunks('anthropic-messages', [sse]).reply.message.raw).toContain(String.raw`"x_\u00e9":1.0`);
  });

  it('of a result whose call came with a longer id than its own provider takes', () => {
    const id = 'tool_insert_level_with_spaces_3ZiChYzj8xER8HixJe7W';
    const { message } = openaiChat.readResponse(
      `{"choices":[{"index":0,"message":{"role":"assistant","content":null,"tool_calls":[{"id":"${id}","type":"function","function":{"name":"f","arguments":"{}"}}]},"finish_reason":"tool_calls"}]}`,
    );
    const messages = [user('Hello'), message, toolResult(id, 'the answer'), user('Go on')];
    const { body } = writeRequest(openaiChat, { model: 'some-model', messages });
    const sent = openaiChat.readRequest(body).messages;
    const [call] = sent.flatMap((one) => one.toolUses);
    expect(sent.flatMap((one) => one.toolResults).map((result) => result.toolCallId)).toEqual([call?.id]);
    expect(sent.map((one) => one.role)).toEqual(['user', 'assistant', 'tool', 'user']);
    expect(body).toContain('the answer');
  });

  it('of reasoning without ciphertext where the request says that it is stored', () => {
    const items =
      '{"id":"rs_1","type":"reasoning","summary":[]},{"id":"msg_1","type":"message","role":"assistant","status":"completed","content":[{"type":"output_text","annotations":[],"text":"Hi"}]}';
    const { message } = openaiResponses.readResponse(
      `{"id":"resp_1","model":"gpt-5","store":true,"output":[${items}]}`,
    );
    const messages = [user('Hello'), message, user('Go on')];
    const { body, losses } = writeRequest(openaiResponses, { model: 'gpt-5', messages, extra: { store: true } });
    expect(losses).toEqual([]);
    expect(body).toContain(items);
  });

  it('of an integer above 2^53 in the schema of a Google tool', () => {
    const request =
      '{"contents":[{"role":"user","parts":[{"text":"Hi"}]}],"tools":[{"functionDeclarations":[{"name":"f","parameters":{"type":"OBJECT","properties":{"id":{"type":"INTEGER","maximum":9007199254740993}}}}]}]}';
    const { tools } = googleGenerateContent.readRequest(request);
    const written = writeRequest(googleGenerateContent, {
      model: 'gemini-3-flash-preview',
      tools,
      messages: [user('Hi')],
    });
    expect(written.body).toContain('9007199254740993');
  });
});
