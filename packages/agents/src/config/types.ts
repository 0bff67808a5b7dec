import type { ProviderDescriptor } from '@skein/core';

/** The resolved configuration. It contains no secrets, only the names of their variables. */
export interface Config {
  readonly store: StoreChoice;
  /** Separates one forest from another in the same store. */
  readonly project: string;
  /** The default model, as `provider/model`. */
  readonly model: string | undefined;
  /** The default preset. */
  readonly preset: string | undefined;
  readonly presets: Readonly<Record<string, Preset>>;
  /** The configured providers: built-in ones with changes, and new ones. */
  readonly providers: Readonly<Record<string, ProviderDescriptor>>;
  /** The folder of the agent files. */
  readonly agents: string;
  /** The folder of the cassettes that the page shows. */
  readonly cassettes: string;
  readonly mcp: Readonly<Record<string, McpServerConfig>>;
  /** The limits of the tool `fetch_url`; undefined if it is off. */
  readonly fetch: FetchConfig | undefined;
  readonly redaction: RedactionConfig;
  readonly retention: RetentionConfig;
  readonly server: ServerConfig;
  readonly proxy: ProxyConfig;
  readonly gateway: GatewayConfig;
  readonly hints: HintsConfig;
  /** Who writes the titles of conversations: their own first words, or the cheapest model with a key. */
  readonly titles: 'words' | 'model';
  /** The plug-in modules, which ran before the rest of the configuration was read. */
  readonly plugins: readonly string[];
}

/** Where the forest is kept. The address of a database holds a password, so it is named by a variable. */
export type StoreChoice =
  | { readonly kind: 'memory' }
  | { readonly kind: 'file'; readonly folder: string }
  | { readonly kind: 'postgres'; readonly variable: string };

/** Named parameters for requests. */
export interface Preset {
  readonly temperature?: number;
  readonly maxTokens?: number;
  readonly topP?: number;
  /** The number of answers. */
  readonly n?: number;
}

/** An MCP server: a program to start, or an address. `${NAME}` in `env` and `headers` stands for a variable. */
export type McpServerConfig = McpCommon &
  (
    | {
        readonly kind: 'stdio';
        readonly command: string;
        readonly args: readonly string[];
        readonly env: Readonly<Record<string, string>>;
        readonly cwd: string;
      }
    | { readonly kind: 'http'; readonly url: string; readonly headers: Readonly<Record<string, string>> }
  );

interface McpCommon {
  /** The limit for one call, including the wait for the server. */
  readonly callSeconds: number;
  /** The limit for the start, and for the list of tools. */
  readonly startSeconds: number;
  /** Which of its tools need approval; `annotations` follows the server's annotations. */
  readonly approve: 'annotations' | 'all' | 'none';
}

/** The limits of the tool `fetch_url`. */
export interface FetchConfig {
  /** The allowed hosts; undefined allows all public hosts. */
  readonly hosts: readonly string[] | undefined;
  /** Private addresses that are allowed, as `host:port`. */
  readonly privateHosts: readonly string[];
  readonly maxBytes: number;
  readonly seconds: number;
}

/** The texts that are hidden wherever conversations are shown or exported. */
export interface RedactionConfig {
  /** Regular expressions; their matches are hidden. */
  readonly patterns: readonly string[];
  /** Names of JSON members whose values are hidden. */
  readonly fields: readonly string[];
  /** Whether they are also removed before storing; the stored text then differs from the received text. */
  readonly beforeStoring: boolean;
}

/** How long conversations are kept. */
export interface RetentionConfig {
  /** `gc` deletes threads that have not changed for this many days; undefined keeps them. */
  readonly days: number | undefined;
  /** The same for recorded conversations; their exchanges are not shown either. */
  readonly recordingDays: number | undefined;
}

/** Where the server listens, and who may use it. */
export interface ServerConfig {
  readonly port: number;
  readonly host: string;
  /** The variable with the token that clients need. */
  readonly tokenVariable: string;
  /** The host names that the server answers to, besides its addresses and `localhost`. */
  readonly hosts: readonly string[];
}

/** The defaults of the recording proxy, for requests that do not choose. */
interface ProxyConfig {
  readonly mode: 'record' | 'replay' | 'pass';
  /** A replay without a recording is refused, or passed to the provider. */
  readonly onMiss: 'refuse' | 'pass';
  /** Whether requests without a key use the key of the server. */
  readonly useServerKeys: boolean;
}

/** Where the gateway sends requests, and who may spend the keys of the server. */
export interface GatewayConfig {
  /** By the model that a client asks for; the most specific pattern that matches it counts. */
  readonly routes: readonly GatewayRoute[];
  /** The models that are asked, one after the other, where the first one fails before its first byte. */
  readonly fallback: readonly GatewayModel[];
  readonly tokens: readonly GatewayToken[];
}

/** A rule of the gateway: models whose names match go to another one. */
export interface GatewayRoute extends GatewayModel {
  /** A model's name; `*` stands for any characters, `?` for one. */
  readonly pattern: string;
}

/** A model of a provider. */
export interface GatewayModel {
  readonly provider: string;
  readonly model: string;
}

/** A token of the gateway: whoever has it may spend the keys of the server, within its budget. */
export interface GatewayToken {
  /** Shown in metrics and usage. */
  readonly name: string;
  /** The variable that has the token. */
  readonly variable: string;
  readonly budget: GatewayBudget;
}

/** What may be spent with one token. Absent limits do not apply. */
export interface GatewayBudget {
  /** US dollars by list price, from midnight to midnight UTC. */
  readonly costPerDay?: number;
  readonly requestsPerMinute?: number;
}

/** Where recorded requests name persons and sessions: `header:x-customer`, or `body:metadata.customer`. */
interface HintsConfig {
  readonly person: readonly string[];
  readonly session: readonly string[];
}

/** The source of a value. Earlier kinds in this list override later ones. */
export interface ValueSource {
  readonly kind: 'flag' | 'environment' | 'project' | 'user' | 'default';
  /** The flag, the variable or the file. */
  readonly name: string;
  readonly line: number | undefined;
}
