import { NOTE } from './place.mjs';

/** @import { Agent } from './agent.mjs' */

/** @type {Agent} */
export const agent = {
  name: 'pi',
  id: 'pi',
  package: '@mariozechner/pi-coding-agent',
  protocol: 'openai-responses',
  foreign: ['anthropic/claude-opus-5-5', 'google/gemini-3-pro-preview'],
  env: { PI_OFFLINE: '1' },
  own: ['--provider', 'openai', '--model', 'gpt-5.5'],
  ask: (prompt, options) => ['pi', '-p', ...options, prompt],
  goOn: (prompt, options) => ['pi', '-p', '--continue', ...options, prompt],
  resume: (command, prompt, options) => [...command, '-p', ...options, prompt],
  compact: {
    // Before the prompt and behind the answer.
    times: 2,
    files: {
      '.pi/agent/settings.json': JSON.stringify({
        compaction: { enabled: true, reserveTokens: 10_000_000, keepRecentTokens: 1 },
      }),
    },
  },
  read: () => ({ name: 'read', input: { path: NOTE.name } }),
  edit: () => ({ name: 'edit', input: { path: NOTE.name, edits: [{ oldText: NOTE.before, newText: NOTE.after }] } }),
};
