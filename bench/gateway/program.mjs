// The clients of one file with every model, in a process of its own, on the Node that they need:
// `program.mjs <client> <options>`. It prints a line for each cell.
import { FAILURE, IMAGE, RESULT, SHAPED, STATUSES, WORDS } from './client.mjs';

/** @import { ClientConversation, GatewayClient } from './client.mjs' */

globalThis.AI_SDK_LOG_WARNINGS = false;
const [file, options = '{}'] = process.argv.slice(2);
/** @type {{ url: string, models: readonly string[] }} */
const { url, models } = JSON.parse(options);
/** @type {{ clients: readonly GatewayClient[] }} */
const { clients } = await import(`./clients/${file}.mjs`);
for (const [number, client] of clients.entries())
  for (const model of models)
    for (const isStreamed of [false, true]) {
      const cell = `${file}-${number}-${model}-${isStreamed ? 'stream' : 'JSON'}`;
      const problems = await converse(client, model, isStreamed, cell).catch((error) => [`${error?.stack ?? error}`]);
      const { package: name, protocol } = client;
      console.log(JSON.stringify({ cell, package: name, protocol, model, isStreamed, problems }));
    }
// Sockets that are kept open would hold it.
process.exit();

/**
 * Six turns with parallel calls, an image and an abort, a structured answer, and each error.
 * @param {GatewayClient} client
 * @param {string} model
 * @param {boolean} isStreamed
 * @param {string} cell
 */
async function converse(client, model, isStreamed, cell) {
  const problems = [];
  const conversation = client.open({ url, model, isStreamed });
  const asked = (/** @type {string} */ words) => `${words} [${cell}]`;
  for (let round = 0; round < 2; round++) {
    const first = await conversation.say(asked(WORDS.weather));
    if (first.calls.length !== 2) problems.push(`it read ${first.calls.length} calls instead of 2`);
    const second = await conversation.answer(first.calls, RESULT);
    if (second.text !== 'Cold in both.') problems.push(`it read ${JSON.stringify(second.text)} after the results`);
  }
  const seen = await conversation.say(asked(WORDS.image), client.takesImages === false ? undefined : IMAGE);
  if (seen.text !== 'A red dot.') problems.push(`it read ${JSON.stringify(seen.text)} of the image`);
  if (isStreamed) await conversation.leave(asked(WORDS.long));
  const last = await conversation.say(asked(WORDS.thanks));
  if (last.text !== 'You are welcome.') problems.push(`it read ${JSON.stringify(last.text)} at the end`);
  const shaped = await conversation.shape(asked(WORDS.shape));
  if (JSON.stringify(shaped) !== JSON.stringify(SHAPED)) problems.push(`it read ${JSON.stringify(shaped)} by a schema`);
  for (const [status, alike] of STATUSES) problems.push(...(await fail(conversation, asked, status, alike)));
  return problems;
}

/**
 * @param {ClientConversation} conversation
 * @param {(words: string) => string} asked
 * @param {number} status
 * @param {readonly number[]} alike
 */
async function fail(conversation, asked, status, alike) {
  const thrown = await conversation.say(asked(`${WORDS.fail} ${status}.`)).then(
    () => undefined,
    (error) => error ?? new Error('nothing'),
  );
  if (!thrown) return [`it threw nothing for ${status}`];
  const words = `${thrown.message} ${JSON.stringify(thrown.error ?? '')} ${thrown.responseBody ?? ''}`;
  // LangChain throws some errors of its SDKs without their status, but with it in their words.
  const told = thrown.status ?? thrown.statusCode ?? thrown.cause?.status ?? Number(/\b[45]\d\d\b/.exec(words)?.[0]);
  return [
    ...(words.includes(FAILURE) ? [] : [`it threw ${words.slice(0, 300)} instead of the error of the provider`]),
    ...(alike.includes(told) ? [] : [`it read status ${told} instead of ${status}`]),
  ];
}
