// Configuration, agents in YAML files, tool modules and MCP servers.
export * from '@skein/agents';
