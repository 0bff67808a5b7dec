import { homedir } from 'node:os';
import { basename, join } from 'node:path';

/** The variables that say where agents keep their files. */
export type AgentEnvironment = Readonly<Record<string, string | undefined>>;

/** A coding agent whose sessions can be read. */
export interface CodingAgent {
  /** Also the name of the format of its logs. */
  readonly id: string;
  readonly title: string;
  /** The folder that holds its sessions, whether it is there or not. */
  folder(env: AgentEnvironment): string;
  /** Whether a file in that folder is a log. */
  isLog(path: string): boolean;
}

/** The agents whose logs Skein knows. Each keeps them in its own folder below the home. */
export const CODING_AGENTS: readonly CodingAgent[] = [
  {
    id: 'claude-code',
    title: 'Claude Code',
    folder: (env) => join(env.CLAUDE_CONFIG_DIR ?? join(home(env), '.claude'), 'projects'),
    isLog: (path) => path.endsWith('.jsonl'),
  },
  {
    id: 'codex',
    title: 'Codex',
    folder: (env) => join(env.CODEX_HOME ?? join(home(env), '.codex'), 'sessions'),
    isLog: (path) => /^rollout-.*\.jsonl$/.test(basename(path)),
  },
  {
    id: 'gemini-cli',
    title: 'Gemini CLI',
    folder: (env) => join(env.GEMINI_CLI_HOME ?? home(env), '.gemini', 'tmp'),
    isLog: (path) => /[/\\]chats[/\\]session-[^/\\]*\.jsonl?$/.test(path),
  },
  {
    id: 'opencode',
    title: 'OpenCode',
    folder: (env) => join(env.XDG_DATA_HOME ?? join(home(env), '.local', 'share'), 'opencode'),
    isLog: (path) => /^opencode[^/\\]*\.db$/.test(basename(path)),
  },
  {
    id: 'pi',
    title: 'pi',
    folder: (env) => join(env.PI_CODING_AGENT_DIR ?? join(home(env), '.pi', 'agent'), 'sessions'),
    isLog: (path) => path.endsWith('.jsonl'),
  },
];

function home({ HOME, USERPROFILE }: AgentEnvironment): string {
  return HOME ?? USERPROFILE ?? homedir();
}
