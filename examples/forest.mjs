// Branches of one conversation in files: three answers, an edit, another model. No key and no network are needed.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { system, user } from '@skein/core';
import { says, startEmulator } from '@skein/emulator';
import { createEngine, openForest } from '@skein/forest';

const emulator = await startEmulator();
emulator.script('anthropic-messages', [says('Oslo.'), says('Bergen!'), says('Tromsø, in winter.')]);
emulator.script('openai-chat', says('Rome, of course.'));
const env = emulator.env();
const folder = mkdtempSync(join(tmpdir(), 'skein-example-'));

const forest = await openForest(folder);
const engine = createEngine(forest, { env });
const question = await forest.append('root', [system('Answer in one line.'), user('Where should I go in Norway?')]);

const three = await engine.generate(question, { model: 'anthropic/claude-sonnet-5', n: 3 });
await three.result;
for (const { id, message } of (await forest.children(question)).items)
  console.log(`${id.slice(0, 8)}  ${message.text}`);

const edited = await forest.edit(question, 'Where should I go in Italy?');
const other = await (await engine.generate(edited, { model: 'openai-chat/gpt-5.5' })).result;
const head = other.branches[0]?.head ?? edited;
console.log(`Elsewhere: ${(await forest.node(head)).message.text}`);

const { sharedLength } = await forest.diff(question, head);
console.log(`Both branches share ${sharedLength} message: the system text.`);
console.log(`Sent, byte for byte: ${(await forest.request(head)).body.slice(0, 60)}…`);

await forest.threads.create({ head, title: 'Holidays' });
await forest.close();

const again = await openForest(folder);
const [thread] = (await again.threads.list()).items;
console.log(`After a restart: "${thread?.title}", ${(await again.path(thread?.head ?? 'root')).length} messages`);
await again.close();
await emulator.close();
rmSync(folder, { recursive: true });
