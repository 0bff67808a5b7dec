import { expect, it } from 'vitest';
import type { Message, ToolUseBlock } from '../../message/index.ts';
import { realClock } from '../../providers/index.ts';
import { type Action, answerCalls, ToolSet } from './answer-calls.ts';
import { type ToolOutput, tool } from './tool.ts';

const call = (name: string, id: string, rawParameters = '{}'): ToolUseBlock => ({
  type: 'tool-use',
  id,
  name,
  parameters: {},
  rawParameters,
});

/** Runs calls of `read` (side by side) and `write` (alone), and tells what was going on. */
async function answered(calls: readonly ToolUseBlock[], output: ToolOutput = 'ok') {
  const log: string[] = [];
  const actions: Action[] = [];
  const messages: Message[] = [];
  const make = (name: string, sequential: boolean) =>
    tool({
      name,
      sequential,
      execute: async (_, { callId }) => {
        log.push(`${callId}+`);
        await new Promise((resolve) => setImmediate(resolve));
        log.push(`${callId}-`);
        return output;
      },
    });
  await answerCalls(calls, {
    tools: new ToolSet([make('read', false), make('write', true)]),
    targets: [],
    approvals: {},
    history: [],
    signal: new AbortController().signal,
    clock: realClock,
    onStart: () => {},
    onEnd: (action) => actions.push(action),
    onMessage: (message) => messages.push(message),
  });
  return { log: log.join(' '), actions, messages };
}

it('tools run side by side, sequential ones alone and in order', async () => {
  const calls = [call('read', 'a'), call('read', 'b'), call('write', 'c'), call('write', 'd'), call('read', 'e')];
  const { log, messages } = await answered(calls);
  expect(log).toBe('a+ b+ a- b- c+ c- d+ d- e+ e-');
  expect(messages.map(({ toolResults }) => toolResults[0]?.toolCallId)).toEqual(['a', 'b', 'c', 'd', 'e']);
});

it.each([
  ['{"a":', 'not JSON'],
  ['[1]', 'not a JSON object'],
  ['"text"', 'not a JSON object'],
])('arguments that are no object are told, and the tool is not run: %s', async (raw, problem) => {
  const { log, messages } = await answered([call('read', 'a', raw)]);
  expect(log).toBe('');
  expect(messages[0]?.text).toContain(problem);
});

it('no arguments at all are an empty object', async () => {
  expect((await answered([call('read', 'a', '')])).log).toBe('a+ a-');
});

it('what cannot be written is a failure of the tool', async () => {
  const circle: Record<string, unknown> = {};
  circle.self = circle;
  const { actions, messages } = await answered([call('read', 'a')], circle);
  expect(actions[0]?.outcome).toBe('failed');
  expect(messages[0]?.toolResults[0]?.isError).toBe(true);
});

it('many calls side by side raise no warning of a leak', async () => {
  const warnings: string[] = [];
  const listen = ({ name }: Error) => void warnings.push(name);
  process.on('warning', listen);
  await answered(Array.from({ length: 30 }, (_, index) => call('read', `c${index}`)));
  process.off('warning', listen);
  expect(warnings).toEqual([]);
});

it.each(['deny', 'no', '', true, false])('only "approve" approves: %j does not', async (decision) => {
  let ran = false;
  const guarded = tool({
    name: 'guarded',
    needsApproval: true,
    execute: () => {
      ran = true;
      return 'ok';
    },
  });
  const waiting = await answerCalls([call('guarded', 'a')], {
    tools: new ToolSet([guarded]),
    targets: [],
    approvals: { a: decision as 'approve' },
    history: [],
    signal: new AbortController().signal,
    clock: realClock,
    onStart: () => {},
    onEnd: () => {},
    onMessage: () => {},
  });
  expect(ran).toBe(false);
  expect(waiting.map(({ id }) => id)).toEqual(['a']);
});
