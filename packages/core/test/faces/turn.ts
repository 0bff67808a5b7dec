/** One turn of a conversation in a process of its own: loads what the last one saved, talks, saves. */
import { readFile, writeFile } from 'node:fs/promises';
import { Chat, MessageList, run, system, tool, user } from '../../src/index.ts';
import { loadConversation, saveConversation } from '../../src/node.ts';

const [, , face = '', model = '', path = '', text = '', stream = ''] = process.argv;

const lookUp = tool({
  name: 'look_up',
  description: 'Looks up a number',
  input: { type: 'object', properties: { number: { type: 'integer' } }, required: ['number'] },
  execute: ({ number }) => ({ number, found: true }),
});
const PREAMBLE = 'You are a clerk.';
const options = { model, tools: [lookUp], stream: stream === 'stream' };

const faces: Readonly<Record<string, () => Promise<string>>> = {
  async chat() {
    const saved = await readFile(path, 'utf8').catch(() => '');
    const chat = new Chat({ ...options, onMismatch: 'throw' });
    const result = await chat.chatWithState(saved, [system(PREAMBLE), user(text)]);
    await writeFile(path, result.state);
    return result.text;
  },
  async llm() {
    const conversation = await loadConversation(path).catch(() => undefined);
    const { llm } = await import('../../src/index.ts');
    const start = conversation?.continuation ?? llm.agent(PREAMBLE);
    const running = start.config(options).request(text).conversation();
    let last = '';
    for await (const message of running) last = message.text;
    await saveConversation(path, running);
    return last;
  },
  async list() {
    const saved = await readFile(path, 'utf8').catch(() => undefined);
    // A list is read at once: it cannot load what the main entry leaves out.
    await import('../../src/dialect.ts');
    const list = saved === undefined ? new MessageList([system(PREAMBLE)]) : MessageList.fromJSON(saved);
    const {
      messages,
      manifest,
      text: answer,
    } = await run({
      ...options,
      messages: list.append(user(text)),
      previous: list.manifest,
    }).result;
    list.manifest = manifest;
    await writeFile(path, JSON.stringify(list.extend(messages)));
    return answer;
  },
};

process.stdout.write(await faces[face]!());
