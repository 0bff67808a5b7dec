/** What a person writes in files becomes what the run loop and the forest use. */
export { currentTime } from './tools/current-time.ts';
