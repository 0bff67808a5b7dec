// One SDK in one mode, in a process of its own, on the Node that the SDK needs: `program.mjs <client> <mode> <options>`. It prints
// what the SDK made of each answer.
import { question, RESULT } from './sdk.mjs';

/** @import { Mode, Sdk } from './sdk.mjs' */

const [name, mode, options = '{}'] = process.argv.slice(2);
/** @type {{ sdk: Sdk }} */
const { sdk } = await import(`./clients/${name}.mjs`);
const conversation = sdk.open({ ...JSON.parse(options), isStreamed: mode === 'stream' });
const first = await conversation.say(question(/** @type {Mode} */ (mode)));
const [call] = first.calls;
const second = call && (await conversation.answer(call, RESULT));
const error = await conversation.say('And tomorrow?').then(
  () => undefined,
  (thrown) => `${thrown?.message ?? thrown}`,
);
conversation.close?.();
console.log(JSON.stringify({ call: call && { name: call.name, input: call.input }, text: second?.text, error }));
