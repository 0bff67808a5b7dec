import { GoogleGenAI } from '@google/genai';
import { SYSTEM, TOOL } from '../sdk.mjs';

const { name, description, parameters } = TOOL;
const tools = [{ functionDeclarations: [{ name, description, parametersJsonSchema: parameters }] }];

/** @type {import('../sdk.mjs').Sdk} */
export const sdk = {
  name: 'chats',
  package: '@google/genai',
  protocol: 'google-generatecontent',
  modes: ['JSON', 'stream'],
  open({ proxy, key, isStreamed }) {
    const client = new GoogleGenAI({ apiKey: key, httpOptions: { baseUrl: `${proxy}/google` } });
    const chat = client.chats.create({
      model: 'gemini-3-pro-preview',
      config: { systemInstruction: SYSTEM, tools },
    });
    const send = async (message) => {
      const pieces = isStreamed ? await chat.sendMessageStream({ message }) : [await chat.sendMessage({ message })];
      const parts = [];
      for await (const { candidates } of pieces) parts.push(...(candidates?.[0]?.content?.parts ?? []));
      const calls = parts.flatMap(({ functionCall }) => functionCall ?? []);
      return {
        text: parts.map(({ text = '' }) => text).join(''),
        calls: calls.map(({ id = '', name: called, args }) => ({ id, name: called, input: args })),
      };
    };
    return {
      say: send,
      answer: (call, result) =>
        send([{ functionResponse: { ...(call.id && { id: call.id }), name: call.name, response: { result } } }]),
    };
  },
};
