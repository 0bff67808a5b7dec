import { SAID } from './agent.mjs';
import { NOTE } from './place.mjs';

/** @import { Agent } from './agent.mjs' */

/** Settings by which a long prompt is too long, and what is left after a compaction is not. */
const SMALL_CONTEXT = {
  compaction: { auto: true, reserved: 1 },
  provider: { openai: { models: { 'gpt-5.5': { limit: { context: 12_000, input: 9_000, output: 1000 } } } } },
};

/** @type {Agent} */
export const agent = {
  name: 'OpenCode',
  id: 'opencode',
  package: 'opencode-ai',
  install: 'postinstall.mjs',
  protocol: 'openai-responses',
  foreign: ['anthropic/claude-opus-5-5', 'google/gemini-3-pro-preview'],
  env: { OPENCODE_DISABLE_AUTOUPDATE: '1', OPENCODE_DISABLE_MODELS_FETCH: '1' },
  own: ['-m', 'openai/gpt-5.5'],
  ask: (prompt, options) => ['opencode', 'run', ...options, prompt],
  goOn: (prompt, options) => ['opencode', 'run', '--continue', ...options, prompt],
  resume: (command, prompt, options) => [...command, ...options, prompt],
  delegate: (prompt) => ({
    name: 'task',
    input: { description: 'Look at it', prompt, subagent_type: 'general' },
  }),
  compact: {
    prompt: `${SAID.again} ${'Take your time. '.repeat(800)}`,
    files: { '.config/opencode/opencode.json': JSON.stringify(SMALL_CONTEXT) },
  },
  read: (work) => ({ name: 'read', input: { filePath: `${work}/${NOTE.name}` } }),
  // Models of OpenAI are offered another tool.
  edit: (work, model) =>
    model.includes('gpt')
      ? { name: 'apply_patch', input: { patchText: NOTE.patch } }
      : {
          name: 'edit',
          input: { filePath: `${work}/${NOTE.name}`, oldString: NOTE.before, newString: NOTE.after },
        },
};
