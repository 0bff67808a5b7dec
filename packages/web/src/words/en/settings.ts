/** The texts of Settings. */
export const settings = {
  'settings.no-problems': 'None. The store and the recording work, and every file was loaded.',
  'settings.not-loaded': 'Not loaded: {why}',
  'keys.about':
    'Keys of the screens that you have opened in this browser. Choose Change and press the new key; Escape leaves it as it is.',
  'keys.find': 'Find a command',
  'keys.none-found': 'No command has this name.',
  'keys.change': 'Change',
  'keys.change-for': 'Change the key of: {command}',
  'keys.press': 'Press a key',
  'keys.press-for': 'Press the new key of: {command}',
  'keys.reset': 'Reset the key of: {command}',
  'keys.reset-all': 'Reset all keys',
  'keys.conflict': '{key} runs “{command}” already.',
  'keys.take': 'Use it here instead',
  'keys.leave': 'Leave it',
} as const;
