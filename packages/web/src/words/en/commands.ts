/** The groups of commands. */
export const commands = {
  'groups.go': 'Go to',
  'groups.message': 'Message',
  'groups.branch': 'Branch',
  'groups.conversation': 'Conversation',
  'groups.view': 'View',
  'groups.forest': 'Forest',
  'keys.then': 'then',
} as const;
