/** The texts of the simulated caches. */
export const whatIf = {
  'what-if.title': 'What if',
  'what-if.about':
    'Sends the recorded requests of this time to simulated caches. Tokens are spread over a request by the lengths of its parts, so compare with the first line, not with the bill.',
  'what-if.recorded': 'As it was sent',
  'what-if.no-markers': 'No cache markers',
  'what-if.mark-system': 'A marker behind the system text',
  'what-if.mark-conversation': 'Markers behind system text and last message',
  'what-if.sort-tools': 'Tools sorted by name',
  'what-if.5m': 'Kept for 5 minutes',
  'what-if.1h': 'Kept for an hour',
  'what-if.answered-by': 'Answered by {model}',
  'what-if.model': 'Another model',
  'what-if.no-model': 'The same model',
  'what-if.run': 'Simulate',
  'what-if.running': 'Simulating…',
  'what-if.results': 'What it would have cost',
  'what-if.scenario': 'Change',
  'what-if.read': 'Read from cache',
  'what-if.written': 'Written to cache',
  'what-if.cost': 'Cost',
  'what-if.difference': 'Difference',
} as const;
