import { CLIENT_KEY } from '../recorded.mjs';
import { NOTE } from './place.mjs';

/** @import { Agent } from './agent.mjs' */

const OPTIONS = [
  '--skip-git-repo-check',
  ...['-c', 'sandbox_mode=danger-full-access'],
  // Nothing but the conversation is asked for.
  ...['-c', 'features.plugins=false', '-c', 'features.apps=false', '-c', 'analytics.enabled=false'],
];

/** Its built-in provider speaks the Responses API over a WebSocket first. @type {Agent} */
export const agent = {
  name: 'Codex',
  id: 'codex',
  package: '@openai/codex',
  protocol: 'openai-responses',
  isOverSocket: true,
  foreign: ['anthropic/claude-opus-5-5', 'google/gemini-3-pro-preview'],
  env: { CODEX_API_KEY: CLIENT_KEY },
  own: ['-m', 'gpt-5.5'],
  ask: (prompt, options) => ['codex', 'exec', ...OPTIONS, ...options, prompt],
  goOn: (prompt, options) => ['codex', 'exec', 'resume', '--last', ...OPTIONS, ...options, prompt],
  resume: ([program = '', ...args], prompt, options) => [program, 'exec', ...args, ...OPTIONS, ...options, prompt],
  // Its vendor compacts: what takes the place of the history is sealed.
  compact: { options: ['-c', 'model_auto_compact_token_limit=1'], sent: '"type":"compaction"' },
  read: () => ({ name: 'exec_command', input: { cmd: `cat ${NOTE.name}` } }),
  // Models that it does not know are not offered the tool, but the program of the same name.
  edit: () => ({ name: 'exec_command', input: { cmd: `apply_patch <<'EOF'\n${NOTE.patch}\nEOF` } }),
};
