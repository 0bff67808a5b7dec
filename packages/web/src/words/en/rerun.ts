/** The texts of conversations that other models answer again. */
export const rerun = {
  'rerun.title': 'Ask again with other models',
  'rerun.link': 'Ask conversations again',
  'rerun.choose': { one: '{count} conversation chosen', other: '{count} conversations chosen' },
  'rerun.find': 'Find a conversation',
  'rerun.untitled': 'Untitled',
  'rerun.max-cost': 'At most, in dollars',
  'rerun.run': 'Run',
  'rerun.stop': 'Stop',
  'rerun.progress': '{count} of {all} answers',
  'rerun.answers': 'Answers',
  'rerun.original': 'Original',
  'rerun.rated': 'rated {rating}',
  'rerun.same': 'same text',
  'rerun.kept': 'from an earlier run',
  'rerun.keep': 'Keep',
  'rerun.keep-of': 'Keep the answer of {model}',
} as const;
