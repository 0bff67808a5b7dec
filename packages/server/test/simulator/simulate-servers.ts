/** The program of `npm run simulate -- --server`. */
import { runSeeds } from '../../../forest/test/simulator/run-seeds.ts';
import { simulateServer } from './simulate-server.ts';

await runSeeds(simulateServer);
