import { GoogleGenAI } from '@google/genai';
import { SHAPE, SYSTEM, TOOL } from '../client.mjs';

const tools = [
  {
    functionDeclarations: [{ name: TOOL.name, description: TOOL.description, parametersJsonSchema: TOOL.parameters }],
  },
];

/** @type {import('../client.mjs').GatewayClient} */
const google = {
  package: '@google/genai',
  protocol: 'google-generatecontent',
  open({ url, model, isStreamed }) {
    const client = new GoogleGenAI({ apiKey: 'skein', httpOptions: { baseUrl: `${url}/google` } });
    const contents = [];
    const config = { systemInstruction: SYSTEM, tools, thinkingConfig: { includeThoughts: true } };
    const send = async () => {
      const request = { model, contents, config };
      const parts = [];
      if (isStreamed)
        for await (const chunk of await client.models.generateContentStream(request))
          parts.push(...(chunk.candidates?.[0]?.content?.parts ?? []));
      else parts.push(...((await client.models.generateContent(request)).candidates?.[0]?.content?.parts ?? []));
      contents.push({ role: 'model', parts });
      const calls = parts.flatMap(({ functionCall }) => (functionCall ? [functionCall] : []));
      return { text: parts.map(({ text = '', thought }) => (thought ? '' : text)).join(''), calls };
    };
    return {
      say(text, image) {
        const picture = image && { inlineData: { mimeType: 'image/png', data: image } };
        contents.push({ role: 'user', parts: [{ text }, ...(picture ? [picture] : [])] });
        return send();
      },
      answer(calls, result) {
        const parts = calls.map(({ id, name }) => ({ functionResponse: { id, name, response: { result } } }));
        contents.push({ role: 'user', parts });
        return send();
      },
      async leave(text) {
        const leaving = new AbortController();
        const asked = [...contents, { role: 'user', parts: [{ text }] }];
        const options = { ...config, abortSignal: leaving.signal };
        for await (const _ of await client.models.generateContentStream({ model, contents: asked, config: options }))
          break;
        leaving.abort();
      },
      async shape(text) {
        const shaped = { responseMimeType: 'application/json', responseJsonSchema: SHAPE };
        const request = { model, contents: [{ role: 'user', parts: [{ text }] }], config: shaped };
        if (!isStreamed) return JSON.parse((await client.models.generateContent(request)).text);
        let json = '';
        for await (const chunk of await client.models.generateContentStream(request)) json += chunk.text ?? '';
        return JSON.parse(json);
      },
    };
  },
};

export const clients = [google];
