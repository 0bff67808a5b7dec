import { CLIENT_KEY } from '../recorded.mjs';
import { NOTE } from './agent.mjs';

/** @import { Agent } from './agent.mjs' */

const MODEL = 'gpt-5.5';

/**
 * Its built-in provider speaks the Responses API over a WebSocket first. `OPENAI_BASE_URL` is ignored: the address is an option.
 * @type {Agent}
 */
export const agent = {
  name: 'Codex',
  package: '@openai/codex',
  program: '@openai/codex/bin/codex.js',
  protocol: 'openai-responses',
  transport: 'websocket',
  env: () => ({ CODEX_API_KEY: CLIENT_KEY }),
  runs: (proxy) => {
    const options = [
      '--skip-git-repo-check',
      ...['-c', 'sandbox_mode=danger-full-access'],
      ...['-c', `openai_base_url=${proxy}/openai/v1`],
      // Nothing but the conversation is asked for.
      ...['-c', 'features.plugins=false', '-c', 'features.apps=false', '-c', 'analytics.enabled=false'],
      ...['-m', MODEL],
    ];
    return [
      ['exec', ...options, 'What is the password?'],
      ['exec', 'resume', '--last', ...options, 'Who said that?'],
    ];
  },
  replies: [
    {
      blocks: [
        { type: 'thinking', text: 'It may be in the note.' },
        { type: 'tool-use', name: 'exec_command', input: { cmd: `cat ${NOTE.name}` } },
      ],
    },
    { blocks: [{ type: 'text', text: 'It is swordfish.' }] },
    { blocks: [{ type: 'text', text: 'The note did.' }] },
  ],
  says: ['What is the password?', NOTE.text, 'It is swordfish.', 'Who said that?', 'The note did.'],
};
