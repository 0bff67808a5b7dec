import { api } from './en/api.ts';
import { blocks } from './en/blocks.ts';
import { cache } from './en/cache.ts';
import { cassettes } from './en/cassettes.ts';
import { commands } from './en/commands.ts';
import { compare } from './en/compare.ts';
import { composer } from './en/composer.ts';
import { conversation } from './en/conversation.ts';
import { graph } from './en/graph.ts';
import { inspector } from './en/inspector.ts';
import { message } from './en/message.ts';
import { models } from './en/models.ts';
import { recordings } from './en/recordings.ts';
import { rerun } from './en/rerun.ts';
import { session } from './en/session.ts';
import { settings } from './en/settings.ts';
import { shell } from './en/shell.ts';
import { state } from './en/state.ts';
import { threads } from './en/threads.ts';
import { ui } from './en/ui.ts';
import { usage } from './en/usage.ts';
import { whatIf } from './en/what-if.ts';

/** The English catalogue: every text of the page. Names in braces are values; a text with `one` and `other` depends on `count`. */
export const en = {
  undo: 'Undo',
  ...api,
  ...blocks,
  ...cache,
  ...cassettes,
  ...commands,
  ...compare,
  ...composer,
  ...conversation,
  ...graph,
  ...inspector,
  ...message,
  ...models,
  ...recordings,
  ...rerun,
  ...session,
  ...settings,
  ...shell,
  ...state,
  ...threads,
  ...ui,
  ...usage,
  ...whatIf,
} as const;
