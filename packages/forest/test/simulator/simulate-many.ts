/** The program of `npm run simulate`. */
import { runSeeds } from './run-seeds.ts';
import { simulate } from './simulate.ts';

await runSeeds(simulate);
