import OpenAI from 'openai';
import { SHAPE, SYSTEM, TOOL } from '../client.mjs';

const tools = [{ type: 'function', function: TOOL }];

/** @type {import('../client.mjs').GatewayClient} */
const chat = {
  package: 'openai',
  protocol: 'openai-chat',
  open({ url, model, isStreamed }) {
    const client = new OpenAI({ apiKey: 'skein', baseURL: `${url}/openai/v1`, maxRetries: 0 });
    const messages = [{ role: 'developer', content: SYSTEM }];
    const send = async () => {
      const request = { model, messages, tools };
      const { choices } = isStreamed
        ? await client.chat.completions.stream(request).finalChatCompletion()
        : await client.chat.completions.create(request);
      const { parsed: _, ...reply } = choices[0].message;
      messages.push(reply);
      const calls = (reply.tool_calls ?? []).map(({ id, function: { name } }) => ({ id, name }));
      return { text: reply.content ?? '', calls };
    };
    return {
      say(text, image) {
        const picture = image && { type: 'image_url', image_url: { url: `data:image/png;base64,${image}` } };
        messages.push({ role: 'user', content: picture ? [{ type: 'text', text }, picture] : text });
        return send();
      },
      answer(calls, content) {
        messages.push(...calls.map(({ id }) => ({ role: 'tool', tool_call_id: id, content })));
        return send();
      },
      async leave(text) {
        const asked = [...messages, { role: 'user', content: text }];
        const stream = await client.chat.completions.create({ model, messages: asked, tools, stream: true });
        for await (const chunk of stream) if (chunk.choices[0]?.delta.content) break;
      },
      async shape(content) {
        const format = { type: 'json_schema', json_schema: { name: 'weather', strict: true, schema: SHAPE } };
        const request = { model, messages: [{ role: 'user', content }], response_format: format };
        const { choices } = isStreamed
          ? await client.chat.completions.stream(request).finalChatCompletion()
          : await client.chat.completions.create(request);
        return JSON.parse(choices[0].message.content);
      },
    };
  },
};

export const clients = [chat];
