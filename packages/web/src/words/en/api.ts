/** The texts of api. */
export const api = {
  'api.there-is-no': 'There is no node {text} in this forest.',
  'api.the-connection-ended': 'The connection ended before the import did. Importing again is safe.',
  'api.the-server-cannot': 'The server cannot be reached. Is it still running?',
  'api.the-server-answered': 'The server answered {status}.',
  'api.the-connection-ended-before': 'The connection ended before all answers were there. Run it again to go on.',
} as const;
