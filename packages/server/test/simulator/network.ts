/** A simulated network: Node's own HTTP over connections in memory, which are slow, stall and break, all from the seed. */
import http from 'node:http';
import net from 'node:net';
import { Duplex } from 'node:stream';
import type { VirtualTime } from '../../../forest/test/simulator/virtual-time.ts';

/** An answer of which everything arrived. */
interface WholeAnswer {
  readonly status: number;
  readonly headers: http.IncomingHttpHeaders;
  readonly body: string;
}

export interface SimulatedNetwork {
  /** Answers what is sent to a host from now on. */
  serve(host: string, handler: http.RequestListener): void;
  /** Cuts all connections to a host, as when its process ends. */
  cut(host: string): void;
  /** Sends one request. Rejects unless all of the answer arrives. */
  ask(host: string, path: string, options: { headers: Record<string, string>; body: string }): Promise<WholeAnswer>;
  /** Connections that broke on their own. */
  faults(): number;
  restore(): void;
}

/** Of a hundred connections, this many break after some pieces, and this many stall once. */
const BREAKS = 6;
const STALLS = 6;

/** One end of a connection. It has what Node's HTTP expects of a socket. */
class Connection extends Duplex {
  readonly #time: VirtualTime;
  readonly #onPiece: () => number;
  other!: Connection;
  #sent: Promise<unknown> = Promise.resolve();

  constructor(time: VirtualTime, onPiece: () => number) {
    super({ emitClose: true, autoDestroy: true });
    this.#time = time;
    this.#onPiece = onPiece;
  }

  /** Pieces of one direction arrive in their order. */
  #send(arrive: () => void): void {
    this.#sent = this.#sent.then(() => this.#time.sleep(this.#onPiece())).then(arrive);
  }

  override _read(): void {}

  override _write(piece: Buffer, _encoding: string, done: () => void): void {
    this.#send(() => this.other.destroyed || this.other.push(piece));
    done();
  }

  override _final(done: () => void): void {
    this.#send(() => this.other.destroyed || this.other.push(null));
    done();
  }

  override _destroy(error: Error | null, done: (error: Error | null) => void): void {
    this.#send(() => this.other.reset());
    done(error);
  }

  reset(): void {
    if (this.destroyed) return;
    this.destroy(Object.assign(new Error('The connection broke.'), { code: 'ECONNRESET' }));
  }

  setTimeout(): this {
    return this;
  }
  setNoDelay = this.setTimeout;
  setKeepAlive = this.setTimeout;
  ref = this.setTimeout;
  unref = this.setTimeout;
}

export function createNetwork(time: VirtualTime): SimulatedNetwork {
  const servers = new Map<string, http.Server>();
  const open = new Map<string, Set<Connection>>();
  let faults = 0;

  const connect = (host: string): Duplex => {
    const luck = time.below(100);
    let left = luck < BREAKS ? 1 + time.below(8) : Number.POSITIVE_INFINITY;
    let stall = luck >= BREAKS && luck < BREAKS + STALLS ? time.below(8) : -1;
    const onPiece = () => {
      left -= 1;
      stall -= 1;
      if (left === 0) {
        faults += 1;
        near.reset();
      }
      if (stall !== -1) return time.below(40);
      faults += 1;
      return 1000 + time.below(20_000);
    };
    const near = new Connection(time, onPiece);
    const far = new Connection(time, onPiece);
    near.other = far;
    far.other = near;
    for (const end of [near, far]) {
      // Whoever uses it hears of it; a server may have no listener yet.
      end.on('error', () => undefined);
      const ends = open.get(host) ?? new Set();
      open.set(host, ends.add(end));
      end.once('close', () => ends.delete(end));
    }
    const server = servers.get(host);
    if (!server) throw new Error(`Nobody listens at ${host}.`);
    server.emit('connection', far);
    return near;
  };

  // The proxy and the clients connect through an agent of Node's, the gateway through undici, which calls `net.connect`.
  const agent = http.Agent.prototype as unknown as { createConnection: unknown };
  const real = { createConnection: agent.createConnection, connect: net.connect };
  agent.createConnection = ({ host }: { host: string }) => connect(host);
  net.connect = (({ host }: { host: string }) => {
    const connection = connect(host);
    process.nextTick(() => connection.emit('connect'));
    return connection;
  }) as unknown as typeof net.connect;

  return {
    serve(host, handler) {
      const listener: http.RequestListener = (request, response) => {
        // Node's own header has the real time, and would be recorded.
        response.sendDate = false;
        handler(request, response);
      };
      servers.set(host, http.createServer({ keepAliveTimeout: 0, requestTimeout: 0, headersTimeout: 0 }, listener));
    },
    cut(host) {
      for (const end of [...(open.get(host) ?? [])]) end.reset();
    },
    ask: (host, path, { headers, body }) =>
      new Promise((resolve, reject) => {
        const given = { ...headers, host: '127.0.0.1', 'content-length': String(Buffer.byteLength(body)) };
        const request = http.request({ host, path, method: 'POST', headers: given, agent: new http.Agent() });
        request.on('error', reject);
        request.on('response', (answer) => {
          const pieces: Buffer[] = [];
          answer.on('data', (piece: Buffer) => pieces.push(piece));
          answer.on('error', reject);
          answer.on('end', () => {
            const text = Buffer.concat(pieces).toString();
            if (answer.complete) resolve({ status: answer.statusCode ?? 0, headers: answer.headers, body: text });
          });
        });
        request.end(body);
      }),
    faults: () => faults,
    restore() {
      agent.createConnection = real.createConnection;
      net.connect = real.connect;
    },
  };
}
