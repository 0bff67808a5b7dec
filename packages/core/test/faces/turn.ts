/** One turn of a conversation with nothing of the turn before but a file: loads what that one saved, talks, saves. */
import { readFile, writeFile } from 'node:fs/promises';
import { Chat, MessageList, run, system, tool, user } from '../../src/index.ts';
import { loadConversation, saveConversation } from '../../src/node.ts';

export interface Turn {
  readonly face: 'chat' | 'llm' | 'list';
  readonly model: string;
  readonly path: string;
  readonly text: string;
  readonly stream: boolean;
  readonly env: Readonly<Record<string, string>>;
}

const lookUp = tool({
  name: 'look_up',
  description: 'Looks up a number',
  input: { type: 'object', properties: { number: { type: 'integer' } }, required: ['number'] },
  execute: ({ number }) => ({ number, found: true }),
});
const PREAMBLE = 'You are a clerk.';
const withTools = ({ model, stream, env }: Pick<Turn, 'model' | 'stream' | 'env'>) => ({
  model,
  stream,
  env,
  tools: [lookUp],
});

const faces: Readonly<Record<Turn['face'], (turn: Turn) => Promise<string>>> = {
  async chat({ path, text, ...turn }) {
    const saved = await readFile(path, 'utf8').catch(() => '');
    const chat = new Chat({ ...withTools(turn), onMismatch: 'throw' });
    const result = await chat.chatWithState(saved, [system(PREAMBLE), user(text)]);
    await writeFile(path, result.state);
    return result.text;
  },
  async llm({ path, text, ...turn }) {
    const conversation = await loadConversation(path).catch(() => undefined);
    const { llm } = await import('../../src/index.ts');
    const start = conversation?.continuation ?? llm.agent(PREAMBLE);
    const running = start.config(withTools(turn)).request(text).conversation();
    let last = '';
    for await (const message of running) last = message.text;
    await saveConversation(path, running);
    return last;
  },
  async list({ path, text, ...turn }) {
    const saved = await readFile(path, 'utf8').catch(() => undefined);
    // A list is read at once: it cannot load what the main entry leaves out.
    await import('../../src/dialect.ts');
    const list = saved === undefined ? new MessageList([system(PREAMBLE)]) : MessageList.fromJSON(saved);
    const {
      messages,
      manifest,
      text: answer,
    } = await run({
      ...withTools(turn),
      messages: list.append(user(text)),
      previous: list.manifest,
    }).result;
    list.manifest = manifest;
    await writeFile(path, JSON.stringify(list.extend(messages)));
    return answer;
  },
};

/** Run by ../fresh-script.ts. */
export const answer = (turn: Turn): Promise<string> => faces[turn.face](turn);
