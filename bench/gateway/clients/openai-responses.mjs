import OpenAI from 'openai';
import { SHAPE, SYSTEM, TOOL } from '../client.mjs';

const tools = [{ type: 'function', strict: false, ...TOOL }];

/** @type {import('../client.mjs').GatewayClient} */
const responses = {
  package: 'openai',
  protocol: 'openai-responses',
  open({ url, model, isStreamed }) {
    const client = new OpenAI({ apiKey: 'skein', baseURL: `${url}/openai/v1`, maxRetries: 0 });
    const input = [];
    const common = { model, instructions: SYSTEM, tools, store: false, include: ['reasoning.encrypted_content'] };
    const last = async (request) => {
      for await (const event of await client.responses.create({ ...request, stream: true }))
        if (event.type === 'response.completed') return event.response;
      throw new Error('The stream has no end.');
    };
    const send = async () => {
      const request = { ...common, input };
      const { output } = isStreamed ? await last(request) : await client.responses.create(request);
      input.push(...output);
      const text = output.flatMap(({ content = [] }) => content.map((part) => part.text ?? '')).join('');
      const calls = output.filter(({ type }) => type === 'function_call');
      return { text, calls: calls.map(({ call_id, name }) => ({ id: call_id, name })) };
    };
    return {
      say(text, image) {
        const picture = image && { type: 'input_image', detail: 'auto', image_url: `data:image/png;base64,${image}` };
        input.push({ role: 'user', content: [{ type: 'input_text', text }, ...(picture ? [picture] : [])] });
        return send();
      },
      answer(calls, output) {
        input.push(...calls.map(({ id }) => ({ type: 'function_call_output', call_id: id, output })));
        return send();
      },
      async leave(text) {
        const asked = [...input, { role: 'user', content: text }];
        const stream = await client.responses.create({ ...common, input: asked, stream: true });
        for await (const event of stream) if (event.type === 'response.output_text.delta') break;
      },
      async shape(content) {
        const format = { type: 'json_schema', name: 'weather', strict: true, schema: SHAPE };
        const request = { model, store: false, input: [{ role: 'user', content }], text: { format } };
        const { output } = isStreamed ? await last(request) : await client.responses.create(request);
        return JSON.parse(output.findLast(({ type }) => type === 'message').content[0].text);
      },
    };
  },
};

export const clients = [responses];
