import { judgeBedrockConverse } from '@skein/emulator';
import { expect, it } from 'vitest';
import { user } from '../../message/index.ts';
import { bedrockConverse } from './index.ts';

const tools = [{ name: 'f', parameters: { type: 'object' } }];

it('a call is not forced on a model that thinks always, which its own API would refuse', () => {
  const write = (model: string) =>
    bedrockConverse.writeRequest({ model, messages: [user('Hi')], tools, params: { toolChoice: 'required' } });
  const model = 'us.anthropic.claude-opus-5-5';
  const { body, losses } = write(model);
  expect(judgeBedrockConverse({ body, model }).refusal).toBeUndefined();
  expect(losses).toMatchObject([{ path: 'params.toolChoice', detail: 'forced-tool-unsupported' }]);
  expect(JSON.parse(write('us.anthropic.claude-sonnet-4-5').body).toolConfig.toolChoice).toEqual({ any: {} });
});
