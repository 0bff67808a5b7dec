export { createEngine, titleByModel } from './engine.ts';
export { continueTools, makeToolsBody, toolName } from './tools.ts';
export type {
  BranchState,
  Engine,
  GenerateOptions,
  Generation,
  GenerationEvent,
  GenerationState,
  RequestPreview,
  RerunResult,
  ResumeOptions,
  StoredEvent,
} from './types.ts';
export { EngineError } from './types.ts';
