/** The texts of state. */
export const state = {
  'state.forest': 'Forest',
  'state.new-conversation': 'New conversation',
  'state.conversation': 'Conversation',
  'state.session': 'Session',
  'state.graph': 'Graph',
  'state.compare': 'Compare',
  'state.recordings': 'Recordings',
  'state.usage': 'Usage',
  'state.settings': 'Settings',
  'state.light': 'Light',
  'state.dark': 'Dark',
  'state.system-theme': 'Same as the system',
} as const;
