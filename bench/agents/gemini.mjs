import { NOTE } from './place.mjs';

/** @import { Agent } from './agent.mjs' */

const SETTINGS = { privacy: { usageStatisticsEnabled: false } };

/** @type {Agent} */
export const agent = {
  name: 'Gemini CLI',
  id: 'gemini-cli',
  package: '@google/gemini-cli',
  protocol: 'google-generatecontent',
  foreign: ['anthropic/claude-opus-5-5', 'openai/gpt-5.5'],
  // It sends every result of the resumed history twice.
  isRefusedOnResume: true,
  env: { GEMINI_CLI_TRUST_WORKSPACE: 'true' },
  files: { '.gemini/settings.json': JSON.stringify(SETTINGS) },
  own: ['-m', 'gemini-3-pro-preview'],
  ask: (prompt, options) => ['gemini', '-y', ...options, '-p', prompt],
  goOn: (prompt, options) => ['gemini', '-y', ...options, '--resume', 'latest', '-p', prompt],
  compact: {
    files: { '.gemini/settings.json': JSON.stringify({ ...SETTINGS, model: { compressionThreshold: 0.000_001 } }) },
    foreign: 'anthropic/claude-opus-5-5',
  },
  read: () => ({ name: 'read_file', input: { file_path: NOTE.name } }),
  edit: () => ({
    name: 'replace',
    input: {
      file_path: NOTE.name,
      instruction: 'Change the password.',
      old_string: NOTE.before,
      new_string: NOTE.after,
    },
  }),
};
