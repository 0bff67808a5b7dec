/** The texts about models. */
export const models = {
  'models.default': 'The default model',
  'models.make-default': 'Make the chosen model the default',
  'models.no-default': 'Forget the chosen default',
  'models.is-default': '{model} answers new conversations from now on.',
  'models.default-gone': 'The configuration decides again which model answers new conversations.',
} as const;
