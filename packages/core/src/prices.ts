/** List prices and context limits. Apart from the main entry, since the data is large. */
export { listedModels, modelInfoWithLimits } from './providers/prices/catalogue.ts';
export { type Cost, costOf } from './providers/prices/cost.ts';
