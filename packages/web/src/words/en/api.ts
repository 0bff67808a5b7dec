/** The texts of api. */
export const api = {
  'api.node-missing': 'There is no node {text} in this forest.',
  'api.import-cut': 'The connection ended before the import did. Importing again is safe.',
  'api.unreachable': 'The server cannot be reached. Is it still running?',
  'api.status': 'The server answered {status}.',
  'api.rerun-cut': 'The connection ended before all answers were there. Run it again to go on.',
} as const;
