import { tool } from '@skein/core';

/** The time now, as a model can use it. `now` is there for tests. */
export const currentTime = (now: () => Date = () => new Date()) =>
  tool({
    name: 'current_time',
    description: 'Tells the current date and time in UTC and in the local time zone.',
    input: { type: 'object', properties: {}, additionalProperties: false },
    execute: () => {
      const date = now();
      return { utc: date.toISOString(), local: date.toString() };
    },
  });
