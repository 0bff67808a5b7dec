// Reads a reply, saves it, loads it and sends it again: byte for byte, including unknown parts.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { anthropicMessages, describeLoss, openaiChat, user, writeRequest } from '@skein/core';
import { loadMessages, saveMessages } from '@skein/core/node';

// A reply with a signature, a number that a double cannot represent, and an unknown field.
const answer = `{"id":"msg_1","type":"message","role":"assistant","model":"claude-sonnet-5","content":[
  {"type":"thinking","thinking":"The user wants the order.","signature":"EqQBCgIYAhIM"},
  {"type":"text","text":"Let me look that up.","new_this_month":{"confidence":1.0}},
  {"type":"tool_use","id":"toolu_1","name":"find_order","input":{"number":2512292042121000001}}
],"stop_reason":"tool_use","usage":{"input_tokens":12,"output_tokens":34}}`;

const reply = anthropicMessages.readResponse(answer);
console.log('The reply as ordered blocks:');
for (const block of reply.message.content) console.log('  ', JSON.stringify(block));

const folder = await mkdtemp(join(tmpdir(), 'skein-'));
const path = join(folder, 'conversation.json');
await saveMessages(path, [user('Where is order 2512292042121000001?'), reply.message]);
const conversation = (await loadMessages(path)).append(user('Never mind, thanks.'));
await rm(folder, { recursive: true });

const again = writeRequest(anthropicMessages, { model: 'claude-sonnet-5', messages: conversation });
const same = again.body.includes(reply.message.raw);
console.log(
  '\nSaved, loaded and sent to its own API again:',
  same ? 'every byte of it is in the request.' : 'BYTES WERE LOST',
);
report(again.losses);

const elsewhere = writeRequest(openaiChat, { model: 'gpt-5.5', messages: conversation });
console.log('\nThe same conversation for another provider:');
console.log('  ', elsewhere.body);
report(elsewhere.losses);

process.exitCode = same ? 0 : 1;

/** @param {readonly import('@skein/core').Loss[]} losses */
function report(losses) {
  for (const loss of losses) console.log(`   ${describeLoss(loss)}`);
}
