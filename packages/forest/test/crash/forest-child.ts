// Works on a forest until it is killed: splits nodes, imports conversations, packs, or lets a model answer. What was
// acknowledged goes to its parent, line by line.
import { writeSync } from 'node:fs';
import { assistant, tool, user } from '@skein/core';
import { createEngine, importFile, openForest } from '../../src/index.ts';

const [folder, work, name] = process.argv.slice(2) as [string, string, string];
const forest = await openForest(folder);
const tell = (fact: object) => writeSync(1, `${JSON.stringify(fact)}\n`);

if (work === 'split') await splitForever();
else if (work === 'import') await importForever();
else if (work === 'pack') await packForever();
else await generateForever();

async function splitForever(): Promise<void> {
  for (let turn = 0; ; turn++) {
    const text = `Question ${name}.${turn} in two halves`;
    const head = await forest.append('root', [user(text), assistant('Answer'), user('More')]);
    tell({ done: head });
    const [top] = await forest.path(head);
    const { first, second } = await forest.split(top!.id, 8);
    tell({ done: first });
    tell({ done: second });
    tell({ done: await forest.resolve(head) });
  }
}

async function importForever(): Promise<void> {
  for (let turn = 0; ; turn++) {
    const lines = Array.from({ length: 20 }, (_, index) => {
      const text = `Import ${name}.${turn}.${index}`;
      return JSON.stringify({
        messages: [
          { role: 'user', content: text },
          { role: 'assistant', content: 'Yes' },
        ],
      });
    });
    await importFile(forest, [lines.join('\n')], { format: 'fine-tuning' });
    tell({ imported: lines.join('\n') });
  }
}

async function packForever(): Promise<void> {
  for (let turn = 0; ; turn++) {
    tell({ done: await forest.append('root', [user(`Kept ${name}.${turn}`), assistant('Yes')]) });
    await forest.remove(await forest.append('root', [user(`Gone ${name}.${turn}`)]));
    await (turn % 2 === 0 ? forest.pack() : forest.gc());
  }
}

async function generateForever(): Promise<void> {
  const engine = createEngine(forest, { env: process.env, random: () => 0 });
  const step = tool({
    name: 'step',
    input: { type: 'object', properties: {} },
    execute: (_, { callId }) => {
      tell({ ran: callId });
      return 'done';
    },
  });
  for (let turn = 0; ; turn++) {
    const node = await forest.append('root', [user(`Generate ${name}.${turn}`)]);
    const generation = await engine.generate(node, { model: 'anthropic/claude-opus-5-5', tools: [step] });
    tell({ generation: generation.id });
    const { branches } = await generation.result;
    tell({ done: branches[0]!.head });
  }
}
