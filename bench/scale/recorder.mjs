// A recorder in a process of its own. `start`: until it has placed its first exchange. `record`: as many conversations as it can
// record in some seconds. Prints what it measured.
import { importOfForest } from '../postgres-server.mjs';

/** @type {typeof import('@skein/forest')} */
const forest = await importOfForest('@skein/forest');

const URL_OF_CHAT = 'https://api.openai.com/v1/chat/completions';
/** How many exchanges are under way at once, and how many turns a conversation has. */
const AT_ONCE = 20;
const TURNS = 5;

const [what, url = '', project = '', seconds = '0'] = process.argv.slice(2);
const store = await forest.postgresStore(url, { project });
const result = what === 'start' ? await start() : await record(Number(seconds));
await store.close();
console.log(JSON.stringify(result));

async function start() {
  let rows = 0;
  const counted = { ...store };
  for (const name of /** @type {const} */ (['entries', 'refs']))
    counted[name] = async (/** @type {any} */ ...args) => {
      const page = await /** @type {any} */ (store[name])(...args);
      rows += page.items.length;
      return page;
    };
  const before = performance.now();
  const recorder = forest.createRecorder(forest.createForest(counted), { onError: raise });
  recorder.begin({ method: 'GET', url: 'https://api.openai.com/v1/models', headers: [] }).end('done');
  await recorder.settled();
  return { rows, seconds: (performance.now() - before) / 1000, megabytes: process.resourceUsage().maxRSS / 1024 };
}

/** @param {number} seconds */
async function record(seconds) {
  const recorder = forest.createRecorder(forest.createForest(store), { onError: raise });
  const end = performance.now() + seconds * 1000;
  /** @type {number[]} */
  const taken = [];
  const talk = async (/** @type {number} */ number) => {
    for (let count = 0; performance.now() < end; count++) {
      /** @type {{ role: string, content: string }[]} */
      const messages = [];
      for (let turn = 0; turn < TURNS && performance.now() < end; turn++) {
        const name = `${process.pid}-${number}-${count}-${turn}`;
        messages.push({ role: 'user', content: `Question ${name}, word${count % 997}?` });
        const before = performance.now();
        const body = JSON.stringify({ model: 'gpt-5.5', messages });
        const recording = recorder.begin({ method: 'POST', url: URL_OF_CHAT, headers: [], body });
        recording.head(200, [['content-type', 'application/json']]);
        const message = { role: 'assistant', content: `Answer ${name}.` };
        messages.push(message);
        const reply = { id: `chatcmpl-${name}`, choices: [{ index: 0, message, finish_reason: 'stop' }] };
        recording.push(new TextEncoder().encode(JSON.stringify(reply)));
        recording.end('done');
        await recorder.stored();
        taken.push(performance.now() - before);
      }
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, (_, number) => talk(number)));
  await recorder.settled();
  taken.sort((a, b) => a - b);
  const at = (/** @type {number} */ share) => taken[Math.floor((taken.length - 1) * share)] ?? 0;
  return { exchanges: taken.length, median: at(0.5), most: at(0.95) };
}

/** @param {unknown} error */
function raise(error) {
  throw error;
}
