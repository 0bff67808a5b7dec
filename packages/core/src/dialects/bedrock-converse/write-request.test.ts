import { judgeBedrockConverse } from '@skein/emulator';
import { expect, it } from 'vitest';
import { assistant, toolResult, user } from '../../message/index.ts';
import { writeRequest } from '../write/write-request.ts';
import { bedrockConverse } from './index.ts';

const tools = [{ name: 'f', parameters: { type: 'object' } }];

it('a call is not forced on a model that thinks always, which its own API would refuse', () => {
  const write = (model: string) =>
    writeRequest(bedrockConverse, { model, messages: [user('Hi')], tools, params: { toolChoice: 'required' } });
  const model = 'us.anthropic.claude-opus-5-5';
  const { body, losses } = write(model);
  expect(judgeBedrockConverse({ body, model }).refusal).toBeUndefined();
  expect(losses).toMatchObject([{ path: 'params.toolChoice', detail: 'forced-tool-unsupported' }]);
  expect(JSON.parse(write('us.anthropic.claude-sonnet-4-5').body).toolConfig.toolChoice).toEqual({ any: {} });
});

it('reasoning of a turn that joins an earlier one is left out, for it stands behind another prefix', () => {
  const model = 'us.anthropic.claude-opus-5-5';
  const start = [user('Hi'), assistant('It is')];
  const asked = writeRequest(bedrockConverse, { model, messages: start });
  const raw =
    '{"role":"assistant","content":[{"reasoningContent":{"reasoningText":{"text":"Hm","signature":"c2ln"}}},{"text":"late."}]}';
  const reply = bedrockConverse.parseMessage(raw, { model, prefix: asked.manifest.prefix });
  const messages = [...start, reply, user('So?')];
  const known = writeRequest(bedrockConverse, { model, messages, previous: asked.manifest });
  expect(known.body).toContain('c2ln');
  const { body, losses } = writeRequest(bedrockConverse, { model, messages });
  expect(JSON.parse(body).messages[1].content).toEqual([{ text: 'It is' }, { text: 'late.' }]);
  expect(losses.map(({ message, reason }) => [message, reason])).toContainEqual([2, 'prefix-bound']);
});

it('a failed result of white space alone says that the call failed', () => {
  const call = { type: 'tool-use', id: 'a', name: 'f', parameters: {}, rawParameters: '{}' } as const;
  const messages = [user('Hi'), assistant([call]), toolResult('a', ' ', { isError: true })];
  const { body } = writeRequest(bedrockConverse, { model: 'amazon.nova-lite-v1:0', messages, tools });
  expect(judgeBedrockConverse({ body, model: 'amazon.nova-lite-v1:0' }).refusal).toBeUndefined();
  expect(body).toContain('The tool call failed.');
});

it('a call behind a cache point keeps its result, and one that was cut behind it gets none', () => {
  const model = 'amazon.nova-lite-v1:0';
  const use = (id: string) => `{"toolUse":{"toolUseId":"${id}","name":"f","input":{}}}`;
  const write = (content: string) => {
    const reply = bedrockConverse.parseMessage(`{"role":"assistant","content":[${content}]}`, { model });
    const messages = [user('Hi'), reply, toolResult('a', 'Done'), user('And?')];
    const { body, losses } = writeRequest(bedrockConverse, { model, messages, tools });
    expect(judgeBedrockConverse({ body, model }).refusal).toBeUndefined();
    return { results: body.match(/"toolResult":\{"toolUseId":"\w+"/g), losses };
  };
  const kept = write(`{"text":"a"},{"cachePoint":{"type":"default"}},{"text":" "},${use('a')}`);
  expect(kept.results).toEqual(['"toolResult":{"toolUseId":"a"']);
  expect(kept.losses.map(({ reason }) => reason)).not.toContain('orphan-result');
});
