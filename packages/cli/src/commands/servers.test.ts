import { expect, test } from 'vitest';
import { browserCommand, mayOpen } from './servers.ts';

const screen = { env: { DISPLAY: ':0' }, platform: 'linux', isTerminal: true } as const;

test.each([
  ['at a screen', true, screen],
  ['at a screen of Wayland', true, { ...screen, env: { WAYLAND_DISPLAY: 'w' } }],
  ['on a Mac', true, { ...screen, env: {}, platform: 'darwin' }],
  ['without a screen', false, { ...screen, env: {} }],
  ['where nobody looks', false, { ...screen, isTerminal: false }],
  ['in CI', false, { ...screen, env: { DISPLAY: ':0', CI: 'true' } }],
  ['over SSH', false, { ...screen, env: { DISPLAY: ':0', SSH_CONNECTION: '1.2.3.4 5 6.7.8.9 22' } }],
] as const)('%s', (_where, expected, surroundings) => {
  expect(mayOpen(surroundings)).toBe(expected);
});

test('an address is one argument, whatever is in it', () => {
  const url = 'http://127.0.0.1:4141/';
  for (const platform of ['darwin', 'win32', 'linux'] as const)
    expect(browserCommand(platform, url)[1].at(-1)).toBe(url);
});
