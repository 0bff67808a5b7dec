import { GoogleGenAI } from '@google/genai';
import { SYSTEM, TOOLS } from '../data/history.mjs';
import { MODELS } from '../endpoint.mjs';

/** @import { Content } from '@google/genai' */
/** @import { Peer } from './peer.mjs' */
/** @import { Turn } from '../data/history.mjs' */

const model = MODELS['google-generatecontent'];

/** @type {Peer} */
export const peer = {
  stream(url) {
    const client = new GoogleGenAI({ apiKey: 'none', httpOptions: { baseUrl: url } });
    return async () => {
      let text = '';
      for await (const chunk of await client.models.generateContentStream({ model, contents: 'Hello' }))
        text += chunk.text ?? '';
      return text;
    };
  },
  turn(url, _protocol, turns) {
    const client = new GoogleGenAI({ apiKey: 'none', httpOptions: { baseUrl: url } });
    const contents = turns.map(contentOf);
    const functionDeclarations = TOOLS.map(({ name, description, parameters }) => ({
      name,
      description,
      parametersJsonSchema: parameters,
    }));
    const config = { systemInstruction: SYSTEM, tools: [{ functionDeclarations }] };
    return async (more) => {
      contents.push(...more.map(contentOf));
      return (await client.models.generateContent({ model, contents, config })).text ?? '';
    };
  },
};

/**
 * @param {Turn} turn
 * @returns {Content}
 */
function contentOf(turn) {
  if (turn.kind === 'user') return { role: 'user', parts: [{ text: turn.text }] };
  if (turn.kind === 'result') {
    const { id, name } = turn.call;
    return { role: 'user', parts: [{ functionResponse: { id, name, response: { output: turn.text } } }] };
  }
  const calls = turn.calls.map(({ id, name, input }) => ({ functionCall: { id, name, args: input } }));
  return { role: 'model', parts: [{ text: turn.text }, ...calls] };
}
