/** The texts of Settings. */
export const settings = {
  'settings.no-problems': 'None. The store and the recording work, and every file was loaded.',
  'settings.not-loaded': 'Not loaded: {why}',
} as const;
