// Imports conversations of other programs into a forest, and exports them.
import { createForest, exportText, importFile, memoryStore } from '@skein/forest';

/** @param {string} role @param {string} text */
const said = (role, text) => ({
  author: { role },
  create_time: 1767225600,
  content: { content_type: 'text', parts: [text] },
});
const conversations = [
  {
    title: 'Rivers',
    conversation_id: 'c-1',
    create_time: 1767225600,
    update_time: 1767225700,
    current_node: 'b',
    mapping: {
      top: { id: 'top', parent: null, message: null },
      q: { id: 'q', parent: 'top', message: said('user', 'Which river is longest?') },
      a: { id: 'a', parent: 'q', message: said('assistant', 'The Amazon.') },
      b: { id: 'b', parent: 'q', message: said('assistant', 'The Nile.') },
    },
  },
  { mapping: 'broken' },
];

const forest = createForest(memoryStore());
const text = JSON.stringify(conversations);
const first = await importFile(forest, [text], { format: 'chatgpt' });
console.log(`Imported ${first.messages} messages; new: ${first.added}`);
for (const { where, message } of first.problems) console.log(`Left out ${where}: ${message}`);
const again = await importFile(forest, [text], { format: 'chatgpt' });
console.log(`Imported again; new: ${again.added}`);

for await (const piece of exportText(forest, { format: 'markdown', of: { thread: String(first.threads[0]) } }))
  console.log(piece);
for await (const line of exportText(forest, { format: 'fine-tuning' })) process.stdout.write(line);

// Segments lose nothing: the copy has the same ids.
const copy = createForest(memoryStore());
await importFile(copy, exportText(forest, { format: 'segments' }));
/** @param {import('@skein/forest').Forest} one */
const ids = async (one) => (await one.topology()).items.map(({ id }) => id).join();
const same = (await ids(copy)) === (await ids(forest));
console.log(same ? 'The copy has the same ids.' : 'IDS DIFFER');
process.exitCode = same ? 0 : 1;
