import { describeLoss, type Loss, type Manifest } from '../dialects/index.ts';
import type { Message, ToolUseBlock } from '../message/index.ts';
import { type Clock, isProviderError, realClock, RefusalMemory } from '../providers/index.ts';
import { type Asked, ask, estimateInput } from './ask.ts';
import { RunError } from './errors.ts';
import { reachedLimit } from './limits.ts';
import { type Happening, withoutPayload } from './observed.ts';
import { pendingCalls } from './pending.ts';
import { hasContent } from './step.ts';
import { type Directory, nameOf, type Target, targetsOf } from './targets.ts';
import { type Action, type Answering, answerCalls, refuseCalls } from './tools/answer-calls.ts';
import { ToolSet } from './tools/tool-set.ts';
import type { Notice, RunEvent, RunOptions, RunResult, RunStop, Step } from './types.ts';
import { estimateUsage, sumUsage } from './usage.ts';

/** What providers refused is learnt once for all runs. */
const remembered = /* @__PURE__ */ new RefusalMemory();
let runs = 0;
