import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { loadAgent, loadAgents, type McpServerConfig, type McpServers, mcpServers } from '@skein/agents';
import { type Tool, user } from '@skein/core';
import { says } from '@skein/emulator';
import { describe, expect, test } from 'vitest';
import { call, configIn, emulator, folderWith, later, serverScript } from './kit.ts';

const COMMON = { callSeconds: 60, startSeconds: 60, approve: 'annotations' } as const;
const program = (script: string, more: Partial<McpServerConfig> = {}): McpServerConfig =>
  ({
    kind: 'stdio',
    ...COMMON,
    command: process.execPath,
    args: [serverScript(script)],
    env: {},
    cwd: '.',
    ...more,
  }) as McpServerConfig;

function servers(
  configs: Record<string, McpServerConfig>,
  env: Record<string, string> = {},
  probeMs = 60_000,
): McpServers {
  const made = mcpServers(configs, { env, backoffMs: { first: 1, longest: 20 }, probeMs });
  later(() => made.close());
  return made;
}

async function toolOf(all: McpServers, server: string, name: string): Promise<Tool> {
  const { tools, problems } = await all.tools(server);
  const found = tools.find(({ remoteName }) => remoteName === name);
  if (!found) throw new Error(`${name} is not there: ${problems.join('; ')}`);
  return found.tool;
}

/** Below those that a system gives to whoever asks for any: nobody takes it while the server is down. */
const quietPort = () => 10_000 + Math.floor(Math.random() * 20_000);

/** The HTTP server as a process of its own, so that it can be killed. */
async function startHttp(port = quietPort()): Promise<{ port: number; child: ChildProcess }> {
  const child = spawn(process.execPath, [serverScript('good'), 'http', String(port)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  later(async () => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    child.kill('SIGKILL');
    await once(child, 'exit');
  });
  const [line] = (await once(child.stdout!, 'data')) as [Buffer];
  return { port: (JSON.parse(line.toString()) as { port: number }).port, child };
}

const http = (port: number, more: Partial<McpServerConfig> = {}): McpServerConfig =>
  ({ kind: 'http', ...COMMON, url: `http://127.0.0.1:${port}/mcp`, headers: {}, ...more }) as McpServerConfig;

describe.each(['stdio', 'http'] as const)('a real server over %s', (transport) => {
  const config = async (more: Partial<McpServerConfig> = {}) =>
    transport === 'stdio' ? program('good', more) : http((await startHttp()).port, more);

  test('its tools have its name in front; text, images, structured results and failures come back', async () => {
    const all = servers({ good: await config() });
    const { tools, problems } = await all.tools('good');
    expect(problems).toEqual([]);
    expect(tools.map(({ tool }) => tool.name)).toContain('good__echo');
    expect(await call(await toolOf(all, 'good', 'echo'), { text: 'hello' })).toEqual([{ type: 'text', text: 'hello' }]);
    expect(await call(await toolOf(all, 'good', 'picture'), {})).toMatchObject([
      { type: 'text', text: 'A dot.' },
      { type: 'media', mediaType: 'image/png', source: { kind: 'base64' } },
    ]);
    expect(await call(await toolOf(all, 'good', 'weather'), {})).toEqual([{ type: 'text', text: '{"celsius":4}' }]);
    await expect(call(await toolOf(all, 'good', 'fail'), {})).rejects.toThrow('the disk is full');
    // Resources and prompts are tools, too.
    const told = async (name: string, input: object) =>
      JSON.stringify(await call(await toolOf(all, 'good', name), input));
    expect(await told('list_resources', {})).toContain('note://first');
    expect(await told('read_resource', { uri: 'note://first' })).toContain('Buy wool.');
    expect(await told('list_prompts', {})).toContain('language');
    expect(await told('get_prompt', { name: 'review', arguments: { language: 'Go' } })).toContain(
      'Review this Go code.',
    );
  });

  test('a call that hangs is given up, and the server is used on', async () => {
    const all = servers({ good: await config() });
    const pid = await call(await toolOf(all, 'good', 'pid'), {});
    const waiting = call(await toolOf(all, 'good', 'wait'), {}, AbortSignal.timeout(100));
    await expect(waiting).rejects.toThrow('did not answer in time');
    expect(await call(await toolOf(all, 'good', 'pid'), {})).toEqual(pid);
  });

  test('approval goes by what the server says of a tool', async () => {
    const needs = async (approve: McpServerConfig['approve']) => {
      const all = servers({ good: await config({ approve }) });
      const names = ['echo', 'add_file', 'delete_all', 'who_knows'];
      const tools = await Promise.all(names.map((name) => toolOf(all, 'good', name)));
      return Promise.all(tools.map((tool) => tool.needsApproval({}, {} as never)));
    };
    expect(await needs('annotations')).toEqual([false, false, true, true]);
    expect(await needs('all')).toEqual([true, true, true, true]);
    expect(await needs('none')).toEqual([false, false, false, false]);
  });
});

describe('a server that is killed in the middle of a call', () => {
  test('stdio: the call fails and says that nobody knows; the next one finds a new process', async () => {
    const all = servers({ good: program('good') });
    const pid = await toolOf(all, 'good', 'pid');
    const before = await call(pid, {});
    await expect(call(await toolOf(all, 'good', 'die'), {})).rejects.toThrow(/middle of the call. It may or may not/);
    const after = await call(pid, {});
    expect(after).not.toEqual(before);
    for (let again = 0; again < 3; again++) {
      await expect(call(await toolOf(all, 'good', 'die'), {})).rejects.toThrow('middle of the call');
      expect(await call(await toolOf(all, 'good', 'echo'), { text: 'x' })).toEqual([{ type: 'text', text: 'x' }]);
    }
  });

  test('stdio: other calls that were under way fail with it, none hangs', async () => {
    const all = servers({ good: program('good') });
    const waiting = call(await toolOf(all, 'good', 'wait'), {});
    const dying = call(await toolOf(all, 'good', 'die'), {});
    const ends = await Promise.allSettled([waiting, dying]);
    expect(ends.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
  });

  test('HTTP: the call fails; after a restart on the same port the next one works, in a new session', async () => {
    const { port, child } = await startHttp();
    const all = servers({ good: http(port) });
    const echo = await toolOf(all, 'good', 'echo');
    const dying = call(await toolOf(all, 'good', 'die'), {}, AbortSignal.timeout(5_000));
    await expect(dying).rejects.toThrow(/may or may not have had an effect/);
    if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
    // Nobody is there: an error that says so, not a hang.
    await expect(call(echo, { text: 'x' })).rejects.toThrow(/could not be started|ended/);
    await startHttp(port);
    expect(await call(echo, { text: 'back' })).toEqual([{ type: 'text', text: 'back' }]);
  });

  test('HTTP: a server that was restarted between two calls is not noticed', async () => {
    const { port, child } = await startHttp();
    const all = servers({ good: http(port) });
    const pid = await toolOf(all, 'good', 'pid');
    const before = await call(pid, {});
    child.kill('SIGKILL');
    await once(child, 'exit');
    await startHttp(port);
    expect(await call(pid, {})).not.toEqual(before);
  });

  test('in a run, the model is told, goes on, and the next call works', async () => {
    const started = await emulator();
    started.script('openai-chat', [
      { blocks: [{ type: 'tool-use', name: 'good__die', input: {} }] },
      { blocks: [{ type: 'tool-use', name: 'good__echo', input: { text: 'alive' } }] },
      says('It lives.'),
    ]);
    const folder = await folderWith({
      'a.yaml': `provider: openai-chat
model: gpt-5.5
mcp:
  good: { command: ${process.execPath}, args: ['${serverScript('good')}'] }
tools: ["mcp:good/die", "mcp:good/echo"]
`,
    });
    const { config } = await configIn(folder);
    const agent = await loadAgent(join(folder, 'a.yaml'), { config, env: started.env() });
    later(() => agent.close());
    const { options } = await agent.options();
    expect(options.tools.map(({ name }) => name).sort()).toEqual(['good__die', 'good__echo']);
    const result = await (await agent.run({ messages: [user('Go')] })).result;
    expect(result.actions.map(({ name, outcome }) => [name, outcome])).toEqual([
      ['good__die', 'failed'],
      ['good__echo', 'done'],
    ]);
    expect(result.text).toBe('It lives.');
    for (const { verdict } of started.log) expect(verdict.refusal).toBeUndefined();
  });
});

describe('a server that hangs', () => {
  test('one that freezes is started again', async () => {
    const all = servers({ good: program('good') }, {}, 300);
    const pid = await toolOf(all, 'good', 'pid');
    const before = await call(pid, {});
    const frozen = call(await toolOf(all, 'good', 'freeze'), {}, AbortSignal.timeout(200));
    await expect(frozen).rejects.toThrow('did not answer in time');
    // The next call may still meet the frozen process; it ends when that is found out.
    let after: unknown = before;
    for (let tries = 0; tries < 5 && JSON.stringify(after) === JSON.stringify(before); tries++)
      after = await call(pid, {}).catch(() => before);
    expect(after).not.toEqual(before);
  });

  test('one that never says anything costs its start limit, and nothing else', async () => {
    const all = servers({ mute: program('mute', { startSeconds: 0.3 }), good: program('good') });
    const [mute, good] = await Promise.all([all.tools('mute'), all.tools('good')]);
    expect(mute.tools).toEqual([]);
    expect(mute.problems[0]).toContain('not there');
    expect(good.tools.length).toBeGreaterThan(5);
  });

  test('one that ends before it has begun says why, without what it was given', async () => {
    const crashing = program('crashing', { env: { LICENCE: `\${MY_LICENCE}` } } as Partial<McpServerConfig>);
    const all = servers({ crashing }, { MY_LICENCE: 'very-secret' });
    const { problems } = await all.tools('crashing');
    expect(problems[0]).toContain('no licence for [hidden]');
    expect((await servers({ crashing }).tools('crashing')).problems[0]).toContain('MY_LICENCE is not set');
    const nowhere = servers({ x: program('good', { command: '/no/such/program' } as Partial<McpServerConfig>) });
    expect((await nowhere.tools('x')).problems[0]).toContain('ENOENT');
  });
});

describe('a server that lies about its schema', () => {
  test('what cannot be used is left out by name, and the rest works', async () => {
    const all = servers({ liar: program('liar') });
    const { tools, problems } = await all.tools('liar');
    expect(tools.map(({ remoteName }) => remoteName)).toEqual([
      'honest',
      'says_number_gives_text',
      'says_read_only_and_destructive',
      'odd_result',
      'odd blocks!',
      'wants_more_than_it_says',
    ]);
    expect(problems).toHaveLength(8);
    expect(problems.join()).toContain('liar__odd_type is left out: its input schema names a type that does not exist');
    expect(await call(await toolOf(all, 'liar', 'honest'), {})).toEqual([{ type: 'text', text: 'the truth' }]);
  });

  test('results that are not as announced are told as they are, unless they break the output schema', async () => {
    const all = servers({ liar: program('liar') });
    const texts = async (name: string) => JSON.stringify(await call(await toolOf(all, 'liar', name), {}));
    expect(await texts('odd_result')).toContain('else');
    expect(await texts('odd blocks!')).toContain('hologram');
    expect(await texts('odd blocks!')).not.toContain('"type":"media"');
    await expect(texts('says_number_gives_text')).rejects.toThrow('does not match its output schema: n: ');
    await expect(call(await toolOf(all, 'liar', 'wants_more_than_it_says'), { a: 'x' })).rejects.toThrow(
      'b is missing',
    );
  });

  test('who says read-only and destructive needs approval, and names fit every provider', async () => {
    const all = servers({ liar: program('liar') });
    const both = await toolOf(all, 'liar', 'says_read_only_and_destructive');
    expect(both.needsApproval({}, {} as never)).toBe(true);
    const { tools } = await all.tools('liar');
    for (const { tool } of tools) expect(tool.name).toMatch(/^[A-Za-z][A-Za-z0-9_-]{0,63}$/);
  });

  test('its tools are sent to every provider, and none refuses', async () => {
    const started = await emulator();
    const folder = await folderWith({
      'skein.config.yaml': `mcp:
  liar: { command: ${process.execPath}, args: ['${serverScript('liar')}'] }
  crashing: { command: ${process.execPath}, args: ['${serverScript('crashing')}'] }
  good: { command: ${process.execPath}, args: ['${serverScript('good')}'] }
`,
      'agents/anthropic.yaml': 'model: anthropic/claude-opus-5-5\ntools: ["mcp:liar", "mcp:crashing", "mcp:good"]\n',
      'agents/chat.yaml': 'model: openai-chat/gpt-5.5\ntools: ["mcp:liar", "mcp:crashing", "mcp:good"]\n',
      'agents/google.yaml': 'model: gemini/gemini-3-pro-preview\ntools: ["mcp:liar", "mcp:crashing", "mcp:good"]\n',
      'agents/responses.yaml': 'model: openai/gpt-5.5\ntools: ["mcp:liar", "mcp:crashing", "mcp:good/echo"]\n',
    });
    const { config } = await configIn(folder);
    const loaded = await loadAgents(config.agents, { config, env: started.env() });
    later(() => loaded.close());
    expect(loaded.problems).toEqual([]);
    expect(loaded.agents).toHaveLength(4);
    for (const agent of loaded.agents) {
      const { options, problems } = await agent.options();
      expect(options.tools.map(({ name }) => name)).toContain('good__echo');
      expect(problems.some(({ key }) => key === 'mcp:crashing')).toBe(true);
      await (await agent.run({ messages: [user('Hi')] })).result;
    }
    for (const { verdict, body } of started.log) expect(verdict.refusal, body.toString()).toBeUndefined();
  });
});

test('the tools of a server that is down stay listed: the next request extends the last', async () => {
  const { port, child } = await startHttp();
  const all = servers({ good: http(port) });
  const before = await all.tools('good');
  child.kill('SIGKILL');
  await once(child, 'exit');
  const down = await all.tools('good');
  expect(down.problems[0]).toContain('not there');
  expect(down.tools).toEqual(before.tools);
});

test('a program gets what its configuration names, and no keys', async () => {
  process.env.SKEIN_TEST_API_KEY = 'not-for-servers';
  later(async () => {
    delete process.env.SKEIN_TEST_API_KEY;
  });
  const env = { GITHUB_TOKEN: 'tok', OPENAI_API_KEY: 'not-for-servers' };
  const config = program('good', { env: { TOKEN: `\${GITHUB_TOKEN}`, LEVEL: 'debug' } } as Partial<McpServerConfig>);
  const all = servers({ good: config }, env);
  const [block] = (await call(await toolOf(all, 'good', 'environment'), {})) as { text: string }[];
  const seen = JSON.parse(block!.text) as Record<string, string>;
  expect(seen).toMatchObject({ TOKEN: 'tok', LEVEL: 'debug', PATH: process.env.PATH });
  expect(block!.text).not.toContain('not-for-servers');
});

test('a misspelt name in approve leaves no tool of that server unguarded', async () => {
  const started = await emulator();
  const script = JSON.stringify([serverScript('good')]);
  const folder = await folderWith({
    'a.yaml': `model: anthropic/claude-opus-5-5
mcp:
  good: { command: ${JSON.stringify(process.execPath)}, args: ${script}, approve: none }
tools: ["mcp:good", current_time]
approve: [good__ecco]
`,
  });
  const { config } = await configIn(folder);
  const agent = await loadAgent(join(folder, 'a.yaml'), { config, env: started.env() });
  later(() => agent.close());
  const { options, problems } = await agent.options();
  expect(problems).toMatchObject([{ key: 'approve', message: expect.stringContaining('"good__ecco"') }]);
  const context = { signal: new AbortController().signal, callId: 'c', messages: [], note: () => {} };
  for (const tool of options.tools)
    expect(await tool.needsApproval({}, context), tool.name).toBe(tool.name.startsWith('good__'));
});
