import type { RuleCase } from '../openai/test-cases.ts';
import { call, create, file, image, memory, result, says, thinks, user } from './test-requests.ts';

const notStored = (id: string) =>
  `Item with id '${id}' not found. Items are not persisted when \`store\` is set to false. Try again with \`store\` set to true, or remove this item from your input.`;

/** The rules about ids, stored things and what belongs together. */
export const stateCases: readonly RuleCase[] = [
  {
    id: 'id-prefix',
    good: create([call({ id: 'fc_1' }), result()]),
    bad: create([call({ id: 'call_1' }), result()]),
    message: "Invalid 'input[0].id': 'call_1'. Expected an ID that begins with 'fc'.",
    param: 'input[0].id',
    code: 'invalid_value',
  },
  {
    id: 'id-chars',
    good: create([user, says('msg_1')]),
    bad: create([user, says('msg_1-2')]),
    message:
      "Invalid 'input[1].id': 'msg_1-2'. Expected an ID that contains letters, numbers, underscores, or dashes, but this value contained additional characters.",
    param: 'input[1].id',
    code: 'invalid_value',
  },
  {
    id: 'id-long',
    good: create([user, says(`msg_${'x'.repeat(60)}`)]),
    bad: create([user, says(`msg_${'x'.repeat(61)}`)]),
    message:
      "Invalid 'input[1].id': string too long. Expected a string with maximum length 64, but got a string with length 65 instead.",
    param: 'input[1].id',
    code: 'string_above_max_length',
  },
  {
    id: 'call-id-long',
    good: create([call({ call_id: 'x'.repeat(64) }), result({ call_id: 'x'.repeat(64) })]),
    bad: create([call({ call_id: 'x'.repeat(70) }), result({ call_id: 'x'.repeat(70) })]),
    message:
      "Invalid 'input[0].call_id': string too long. Expected a string with maximum length 64, but got a string with length 70 instead.",
    param: 'input[0].call_id',
    code: 'string_above_max_length',
  },
  {
    id: 'temperature',
    good: create('Hi', { model: 'gpt-4o', temperature: 0.5 }),
    bad: create('Hi', { model: 'gpt-4o', temperature: -1 }),
    message: "Invalid 'temperature': decimal below minimum value. Expected a value >= 0, but got -1 instead.",
    param: 'temperature',
    code: 'decimal_below_min_value',
  },
  {
    id: 'prev-and-conversation',
    good: create('Hi', { previous_response_id: null, conversation: 'conv_1' }),
    bad: create('Hi', { previous_response_id: 'resp_1', conversation: 'conv_1' }),
    message:
      "Mutually exclusive parameters: 'previous_response_id' and 'conversation'. Ensure you are only providing one of: 'previous_response_id' or 'conversation'.",
    param: 'previous_response_id',
    code: 'mutually_exclusive_parameters',
  },
  {
    id: 'image-source',
    good: create([{ role: 'user', content: [image] }]),
    bad: create([call(), result({ output: [{ type: 'input_image' }] })]),
    message:
      "Missing mutually exclusive parameters: 'input[1].output[0]'. Ensure you are providing exactly one of: 'file_id' or 'image_url'.",
    param: 'input[1].output[0]',
    code: 'missing_mutually_exclusive_parameters',
  },
  {
    id: 'file-mime',
    good: create([{ role: 'user', content: [file('application/pdf')] }]),
    bad: create([{ role: 'user', content: [file('audio/mpeg')] }]),
    message:
      "Invalid file data: 'input[0].content[0].file_data'. Expected a base64-encoded data URL with a valid file MIME type (e.g. 'data:text/plain;base64,SGVsbG8sIFdvcmxkIQ=='), but got unsupported MIME type 'audio/mpeg'. Please see https://platform.openai.com/docs/assistants/tools/file-search#supported-files for supported file types.",
    param: 'input[0].content[0].file_data',
    code: 'invalid_value',
  },
  {
    id: 'id-dup',
    good: create([user, says('msg_1'), user, says('msg_2')]),
    bad: create([user, says('msg_1'), user, says('msg_1')]),
    message: 'Duplicate item found with id msg_1. Remove duplicate items from your input and try again.',
    param: 'input',
  },
  {
    id: 'previous-not-found',
    good: create([result({ call_id: 'call_7' })], { previous_response_id: 'resp_1' }),
    bad: create([user], { previous_response_id: 'resp_9' }),
    message: "Previous response with id 'resp_9' not found.",
    param: 'previous_response_id',
    code: 'previous_response_not_found',
    memory,
  },
  {
    id: 'reference-not-found',
    good: create([user, { type: 'item_reference', id: 'msg_1' }, user]),
    bad: create([user, { type: 'item_reference', id: 'msg_9' }, user]),
    message: notStored('msg_9'),
    param: 'input',
    status: 404,
    memory,
  },
  {
    id: 'reasoning-not-persisted',
    good: create([user, thinks('rs_2', 'secret'), says('msg_2')], { store: false }),
    bad: create([user, thinks('rs_2'), says('msg_2')], { store: false }),
    message: notStored('rs_2'),
    param: 'input',
    status: 404,
  },
  {
    id: 'encrypted-content',
    good: create([user, thinks('rs_1', 'secret'), says('msg_1')]),
    bad: create([user, thinks('rs_1', 'forged'), says('msg_1')]),
    message:
      'The encrypted content for item rs_1 could not be verified. Reason: Encrypted content could not be decrypted or parsed.',
    code: 'invalid_encrypted_content',
    memory,
  },
  {
    id: 'reasoning-following',
    good: create([user, thinks('rs_1', 'secret'), says('msg_1'), user]),
    bad: create([user, thinks('rs_1', 'secret'), says(), user]),
    message: "Item 'rs_1' of type 'reasoning' was provided without its required following item.",
    param: 'input',
  },
  {
    id: 'missing-reasoning',
    good: create([user, call(), result()]),
    bad: create([user, call({ id: 'fc_1' }), result()]),
    message: "Item 'fc_1' of type 'function_call' was provided without its required 'reasoning' item: 'rs_1'.",
    param: 'input',
    memory,
  },
  {
    id: 'call-unanswered',
    good: create([user, call(), call({ call_id: 'call_2' }), result({ call_id: 'call_2' }), result()]),
    bad: create([user, call(), user]),
    message: 'No tool output found for function call call_1.',
    param: 'input',
  },
  {
    id: 'output-orphan',
    good: create([result()], { previous_response_id: 'resp_2' }),
    bad: create([user, result(), call()]),
    message: 'No tool call found for function call output with call_id call_1.',
    param: 'input',
  },
];
