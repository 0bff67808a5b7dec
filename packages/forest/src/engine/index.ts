export { createEngine } from './engine.ts';
export type { LastRequest } from './history.ts';
export { titleByModel } from './model-title.ts';
export { continueTools, toolName } from './tools.ts';
export type {
  BranchState,
  Engine,
  GenerateOptions,
  Generation,
  GenerationEvent,
  GenerationList,
  GenerationState,
  GenerationStatus,
  RequestPreview,
  Rerun,
  ResumeOptions,
  StoredEvent,
} from './types.ts';
export { EngineError } from './types.ts';
