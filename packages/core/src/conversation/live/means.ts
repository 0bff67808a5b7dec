import { firstThatFits, parseModel, provider, selectModel } from '../../providers/index.ts';
import { run } from '../../run/index.ts';

/**
 * What a turn starts and looks up. Given to it, not imported there: what is loaded with the first turn would otherwise
 * reach every dialect, and bundlers that split code would give them all to whoever uses one.
 */
export const means = { run, parseModel, provider, selectModel, firstThatFits };

export type Means = typeof means;
