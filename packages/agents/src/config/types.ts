import type { ProviderDescriptor } from '@skein/core';

/** Everything that a person can set, resolved. Secrets are in none of it, only the names of their variables. */
export interface Config {
  readonly store: StoreChoice;
  /** Separates one forest from another in the same store. */
  readonly project: string;
  /** `provider/model`, for whoever names none. */
  readonly model: string | undefined;
  /** The preset that is used without another choice. */
  readonly preset: string | undefined;
  readonly presets: Readonly<Record<string, Preset>>;
  /** Providers as they are set here: built-in ones with changes, and ones of your own. */
  readonly providers: Readonly<Record<string, ProviderDescriptor>>;
  /** The folder of the agents' files. */
  readonly agents: string;
  readonly mcp: Readonly<Record<string, McpServerConfig>>;
  /** What the tool `fetch_url` may do; undefined when it is off. */
  readonly fetch: FetchConfig | undefined;
  readonly redaction: RedactionConfig;
  readonly retention: RetentionConfig;
  readonly server: ServerConfig;
  readonly proxy: ProxyConfig;
  readonly hints: HintsConfig;
  /** What conversations are titled by: their own words, or the cheapest model that can be asked. */
  readonly titles: 'words' | 'model';
  /** The modules that were run before anything else of the configuration was looked at. */
  readonly plugins: readonly string[];
}

/** Where the forest is kept. The address of a database holds a password, so it is named by a variable. */
export type StoreChoice =
  | { readonly kind: 'memory' }
  | { readonly kind: 'file'; readonly folder: string }
  | { readonly kind: 'postgres'; readonly variable: string };

/** How to ask, by a name. */
export interface Preset {
  readonly temperature?: number;
  readonly maxTokens?: number;
  readonly topP?: number;
  /** How many answers. */
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
  /** For one call, waiting for the server included. */
  readonly callSeconds: number;
  /** For starting, and for listing its tools. */
  readonly startSeconds: number;
  /** Which of its tools need approval: `annotations` goes by what the server says of them. */
  readonly approve: 'annotations' | 'all' | 'none';
}

/** The limits of the tool `fetch_url`. */
export interface FetchConfig {
  /** Only these hosts; undefined for all that are public. */
  readonly hosts: readonly string[] | undefined;
  /** `host:port` of addresses that may be private. */
  readonly privateHosts: readonly string[];
  readonly maxBytes: number;
  readonly seconds: number;
}

/** What is hidden in everything that is shown or exported. */
export interface RedactionConfig {
  /** Regular expressions; what they match is not shown or exported. */
  readonly patterns: readonly string[];
  /** Names of JSON members whose values are not shown or exported. */
  readonly fields: readonly string[];
  /** Also before storing: then the stored text is not what was received. */
  readonly beforeStoring: boolean;
}

/** How long conversations are kept. */
export interface RetentionConfig {
  /** `gc` forgets threads that did not change for so many days; undefined: never. */
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
  /** Names under which the server may be asked for, besides its addresses and `localhost`. */
  readonly hosts: readonly string[];
}

/** How the recording proxy works where a request does not say it. */
interface ProxyConfig {
  readonly mode: 'record' | 'replay' | 'pass';
  /** A replay without a recording: an error, or on to the provider. */
  readonly onMiss: 'refuse' | 'pass';
  /** Whether requests without a key are signed with the server's. */
  readonly useServerKeys: boolean;
}

/** Where recorded requests name persons and sessions: `header:x-customer`, or `body:metadata.customer`. */
interface HintsConfig {
  readonly person: readonly string[];
  readonly session: readonly string[];
}

/** Where a value comes from. The first kind in this list that has one counts. */
export interface ValueSource {
  readonly kind: 'flag' | 'environment' | 'project' | 'user' | 'default';
  /** The flag, the variable or the file. */
  readonly name: string;
  readonly line: number | undefined;
}
