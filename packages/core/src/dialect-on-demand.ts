// Stands in the place of other files that `dialect.ts` names, in Node's build (tsdown.config.ts says which). Whoever stores or
// lists conversations imports `@skein/core/dialect`, and few of those read streams block by block or ask for answers by a schema.

import type * as Blocks from './dialects/block-events.ts';
import { require } from './dialects/on-demand.ts';
import type * as Output from './run/output-schema.ts';

export const readBlocks: typeof Blocks.readBlocks = (...given) =>
  (require('./block-events.js') as typeof Blocks).readBlocks(...given);

export const formatOutput: typeof Output.formatOutput = (...given) =>
  (require('./output-schema.js') as typeof Output).formatOutput(...given);
