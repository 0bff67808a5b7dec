// `npm run sync-scale -- --nodes 1000,100000`: two forests of each size meet; prints what passes between them.
import { setUp } from './setup.mjs';

const isDone =
  setUp() &&
  (await import('./run-sources.mjs').then(({ runSources }) =>
    runSources('packages/forest/test/scale/meet-large.ts', process.argv.slice(2)),
  ));
process.exitCode = isDone ? 0 : 1;
