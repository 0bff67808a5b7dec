import { judgeOpenAIResponses } from '@skein/emulator';
import { describe, expect, it } from 'vitest';
import { toolResult, user } from '../../message/index.ts';
import { makeDialect } from '../dialect.ts';
import { writeRequest } from '../write/write-request.ts';
import { openaiResponsesSpec } from './index.ts';

const dialect = makeDialect(openaiResponsesSpec);
const sealed = '{"type":"reasoning","id":"rs_1","summary":[],"encrypted_content":"c1"}';
const said =
  '{"type":"message","id":"msg_1","role":"assistant","status":"completed","content":[{"type":"output_text","text":"Hi","annotations":[]}]}';
const localShell =
  '{"type":"local_shell_call","id":"lsh_1","call_id":"c1","status":"completed","action":{"type":"exec","command":["ls"],"env":{}}}';
const shell = '{"type":"shell_call","id":"sh_1","call_id":"c1","status":"completed","action":{"commands":["ls"]}}';
const patch =
  '{"type":"apply_patch_call","id":"apc_1","call_id":"c1","status":"completed","operation":{"type":"delete_file","path":"a"}}';
const computer =
  '{"type":"computer_call","id":"cu_1","call_id":"c1","status":"completed","action":{"type":"screenshot"},"pending_safety_checks":[]}';
const chunk = '{"stdout":"a.txt","stderr":"","outcome":{"type":"exit","exit_code":0}}';
const screen =
  '{"type":"computer_call_output","call_id":"c1","output":{"type":"computer_screenshot","image_url":"https://a.example/s.png"}}';

function sent(...history: string[]) {
  const messages = history.map((raw) => (/^[[{]/.test(raw) ? dialect.parseMessage(raw) : user(raw)));
  const { body, losses } = writeRequest(dialect, { model: 'gpt-5.2', messages });
  expect(judgeOpenAIResponses({ body }).refusal, body).toBeUndefined();
  const input: { type?: string; role?: string; id?: string }[] = JSON.parse(body).input;
  return {
    body,
    items: input.map(({ type, role, id }) => `${type ?? role}${id ? ' named' : ''}`),
    losses: losses.map(({ kind, message, path, reason }) => `${kind} ${message} ${path} ${reason}`),
  };
}

describe('a call that the client runs and never answered is refused in every later request', () => {
  it.each([
    [localShell, '{"type":"local_shell_call_output","call_id":"c1","output":"No result: '],
    [
      shell,
      '{"type":"shell_call_output","call_id":"c1","status":"incomplete","output":[{"stdout":"","stderr":"No result: ',
    ],
    [patch, '{"type":"apply_patch_call_output","call_id":"c1","status":"failed","output":"No result: '],
  ])('%s is answered in kind', (call, standIn) => {
    for (const turn of [`[${call}]`, `[${sealed},${call},${said}]`]) {
      const { body, losses } = sent('x', turn, 'y');
      expect(body).toContain(standIn);
      expect(losses).toEqual(['synthesised 1  tool-unanswered']);
    }
  });

  it('a computer has no screen to stand in: its call goes, and what cannot stay without it', () => {
    expect(sent('x', `[${computer}]`, 'y')).toMatchObject({
      items: ['user', 'user'],
      losses: ['dropped 1  server-tool'],
    });
    expect(sent('x', `[${sealed},${computer},${said}]`, 'y')).toMatchObject({
      items: ['user', 'message', 'user'],
      losses: ['dropped 1 [0] server-tool', 'dropped 1 [1] server-tool', 'rewritten 1 [2].id server-tool'],
    });
  });
});

describe('a call that was answered', () => {
  it.each([
    [localShell, '{"type":"local_shell_call_output","call_id":"c1","output":"a.txt"}'],
    [localShell, '{"type":"local_shell_call_output","id":"c1","output":"a.txt"}'],
    [shell, `{"type":"shell_call_output","call_id":"c1","output":[${chunk}]}`],
    [patch, '{"type":"apply_patch_call_output","call_id":"c1","status":"completed"}'],
    [computer, screen],
  ])('%s is sent as it is', (call, output) => {
    const { body, losses } = sent('x', `[${sealed},${call}]`, output, 'y');
    expect(body).toContain(`${sealed},${call},${output},`);
    expect(losses).toEqual([]);
  });

  it('on the server is not answered again', () => {
    const output = `{"type":"shell_call_output","id":"sho_1","call_id":"c1","output":[${chunk}]}`;
    const { body, losses } = sent('x', `[${shell},${output},${said}]`, 'y');
    expect(body).toContain(`${shell},${output},${said},`);
    expect(losses).toEqual([]);
  });

  it('by a plain result is not answered again', () => {
    const messages = [user('x'), dialect.parseMessage(`[${shell}]`), toolResult('c1', 'a.txt'), user('y')];
    const { body, losses } = writeRequest(dialect, { model: 'gpt-5.2', messages });
    expect(body).toContain(`${shell},{"type":"function_call_output","call_id":"c1","output":"a.txt"}`);
    expect(losses).toEqual([]);
  });
});
