import Anthropic from '@anthropic-ai/sdk';
import { SHAPE, SYSTEM, TOOL } from '../client.mjs';

const tools = [{ name: TOOL.name, description: TOOL.description, input_schema: TOOL.parameters }];

/** @type {import('../client.mjs').GatewayClient} */
const anthropic = {
  package: '@anthropic-ai/sdk',
  protocol: 'anthropic-messages',
  open({ url, model, isStreamed }) {
    const client = new Anthropic({ apiKey: 'skein', baseURL: `${url}/anthropic`, maxRetries: 0 });
    const messages = [];
    const common = { model, system: SYSTEM, max_tokens: 4000, tools, thinking: { type: 'adaptive' } };
    const send = async () => {
      const request = { ...common, messages };
      const { content } = isStreamed
        ? await client.messages.stream(request).finalMessage()
        : await client.messages.create(request);
      messages.push({ role: 'assistant', content });
      const calls = content.filter(({ type }) => type === 'tool_use').map(({ id, name }) => ({ id, name }));
      return { text: content.map((block) => (block.type === 'text' ? block.text : '')).join(''), calls };
    };
    return {
      say(text, image) {
        const picture = image && { type: 'image', source: { type: 'base64', media_type: 'image/png', data: image } };
        messages.push({ role: 'user', content: [{ type: 'text', text }, ...(picture ? [picture] : [])] });
        return send();
      },
      answer(calls, content) {
        const results = calls.map(({ id }) => ({ type: 'tool_result', tool_use_id: id, content }));
        messages.push({ role: 'user', content: results });
        return send();
      },
      async leave(text) {
        const asked = [...messages, { role: 'user', content: text }];
        const stream = await client.messages.create({ ...common, messages: asked, stream: true });
        for await (const event of stream) if (event.type === 'content_block_delta') break;
        stream.controller.abort();
      },
      async shape(content) {
        const format = { type: 'json_schema', schema: SHAPE };
        const request = { model, max_tokens: 4000, messages: [{ role: 'user', content }], output_config: { format } };
        const reply = isStreamed
          ? await client.messages.stream(request).finalMessage()
          : await client.messages.create(request);
        return JSON.parse(reply.content.findLast(({ type }) => type === 'text').text);
      },
    };
  },
};

export const clients = [anthropic];
