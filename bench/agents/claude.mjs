import { NOTE } from './place.mjs';

/** @import { Agent } from './agent.mjs' */

const TOOLS = ['--allowedTools', 'Read,Edit,Agent'];

/** @type {Agent} */
export const agent = {
  name: 'Claude Code',
  id: 'claude-code',
  package: '@anthropic-ai/claude-code',
  // npm does not run scripts of packages here; this one puts the program for this machine into its place.
  install: 'install.cjs',
  protocol: 'anthropic-messages',
  foreign: ['openai/gpt-5.5', 'google/gemini-3-pro-preview'],
  env: { DISABLE_AUTOUPDATER: '1' },
  own: ['--model', 'claude-opus-5-5'],
  ask: (prompt, options) => ['claude', '-p', prompt, ...TOOLS, ...options],
  goOn: (prompt, options) => ['claude', '-p', prompt, '--continue', ...TOOLS, ...options],
  resume: (command, prompt, options) => [...command, '-p', prompt, ...TOOLS, ...options],
  delegate: (prompt) => ({
    name: 'Agent',
    input: { description: 'Look at it', prompt, subagent_type: 'general-purpose' },
  }),
  compact: { prompt: '/compact' },
  read: (work) => ({ name: 'Read', input: { file_path: `${work}/${NOTE.name}` } }),
  edit: (work) => ({
    name: 'Edit',
    input: { file_path: `${work}/${NOTE.name}`, old_string: NOTE.before, new_string: NOTE.after },
  }),
};
