/** The texts of what prompt caches did. */
export const cache = {
  'cache.title': 'What prompt caches missed',
  'cache.turns': 'The cache along the turns',
  'cache.requests': { one: '{count} request', other: '{count} requests' },
  'cache.hit-rate': '{percent} % of what could be read was read',
  'cache.lost': '{cost} lost by misses',
  'cache.uncertain': {
    one: '{count} request came too long after what could have served it to be compared',
    other: '{count} requests came too long after what could have served them to be compared',
  },
  'cache.no-causes': 'Whatever could be read from a cache was read.',
  'cache.missed-tokens': '{tokens} tokens missed',
  'cache.tokens': '{read} of {prompt} tokens read',
  'cache.example': 'Show the last one',
  'cache.show': 'Show the reply',
  'cache.hit': 'Hit',
  'cache.miss': 'Miss',
  'cache.none': 'Nothing to read',
} as const;
