/** Configuration, agents, tools and MCP servers: files that people write become options of runs and generations. */
export { type Agent, type AgentOptions, presetParams } from './agents/agent.ts';
export { BUILT_IN as BUILT_IN_TOOLS, currentTime } from './agents/builtin-tools.ts';
export {
  AgentFileError,
  type LoadAgentsOptions,
  type LoadedAgents,
  loadAgent,
  loadAgents,
} from './agents/load.ts';
export type { ChosenModel } from './agents/model.ts';
export { findTools, type ToolSearch, toolsInModule } from './agents/tools.ts';
export { type Flags, type LoadConfigOptions, type LoadedConfig, loadConfig } from './config/load.ts';
export type { Plugin, PluginApi } from './config/plugins.ts';
export { findProvider, titleModel } from './config/providers.ts';
export type {
  Config,
  FetchConfig,
  GatewayBudget,
  GatewayConfig,
  GatewayModel,
  GatewayRoute,
  GatewayToken,
  McpServerConfig,
  Preset,
  RedactionConfig,
  RetentionConfig,
  ServerConfig,
  StoreChoice,
  ValueSource,
} from './config/types.ts';
export { type ConfigProblem, describeProblem, type ProblemCode } from './files/problem.ts';
export { type McpOptions, type McpServers, mcpServers } from './mcp/servers.ts';
export type { McpTool, McpTools } from './mcp/tools.ts';
export { type FetchResult, type FetchToolOptions, fetchPublic, fetchTool } from './tools/fetch.ts';
export { fileTools } from './tools/files.ts';
export { type ForestView, forestTools } from './tools/forest.ts';
