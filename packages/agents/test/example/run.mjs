// An agent in a YAML file, with tools of its own, built-in tools and an MCP server; no key, no network.
import { fileURLToPath } from 'node:url';
import { describeProblem, loadAgents, loadConfig } from '@skein/agents';
import { user } from '@skein/core';
import { says, startEmulator } from '@skein/emulator';

const emulator = await startEmulator();
// What a model would decide; the emulator speaks for it.
emulator.script('google-generatecontent', [
  { blocks: [{ type: 'tool-use', name: 'search_files', input: { text: 'milk' } }] },
  { blocks: [{ type: 'tool-use', name: 'add_task', input: { title: 'Buy milk' } }] },
  { blocks: [{ type: 'tool-use', name: 'clock__time_in', input: { zone: 'Europe/Oslo' } }] },
  says('I have put milk on your list.'),
]);
const env = { ...process.env, ...emulator.env() };

const cwd = fileURLToPath(new URL('.', import.meta.url));
const { config, problems } = await loadConfig({ cwd, env });
const loaded = await loadAgents(config.agents, { config, env });
for (const problem of [...problems, ...loaded.problems]) console.log(describeProblem(problem));
for (const { id, name, model, toolNames } of loaded.agents)
  console.log(`${id}: ${name}, ${model.provider.id}/${model.model}, ${toolNames.join(' ')}`);

const agent = loaded.find('todo');
if (!agent) throw new Error('There is no agent "todo"');
const running = await agent.run({ messages: [user('What did I want to buy? Put it on my list.')] });
for await (const event of running) {
  if (event.type === 'tool-use') console.log('calls:', event.name);
  if (event.type === 'tool-result') console.log('result:', event.message.text);
  if (event.type === 'action') for (const note of event.action.notes) console.log('note:', note);
}
console.log('Answer:', await running.text);
await loaded.close();
await emulator.close();
