/** One response that comes over a WebSocket, and what was added to it while it came. */
import type { SocketProtocol } from '../../dialects/index.ts';
import type { JsonObject } from '../../json/index.ts';

/**
 * What became of input that was added to a response. `committed`: the API goes on with it in a response that nobody asked
 * for; `queued`: the API puts it before the next request; `returned`: the next request has to contain it.
 */
export type SteerOutcome = 'committed' | 'queued' | 'returned';

interface Steer {
  /** The API has it: only then does a response that follows belong to it. */
  isAccepted: boolean;
  readonly told: (outcome: SteerOutcome) => void;
}

/** Turns the messages of one response into a `Response` with server-sent events, or into the error that came instead. */
export class SocketReply {
  readonly response: Promise<Response>;
  readonly lane: string;
  readonly #protocol: SocketProtocol;
  readonly #follow: (next: SocketReply) => void;
  readonly #encoder = new TextEncoder();
  readonly #over: (() => void)[] = [];
  #settle!: { resolve: (response: Response) => void; reject: (error: Error) => void };
  #body: ReadableStreamDefaultController<Uint8Array> | undefined;
  #isRead = true;
  #id: string | undefined;
  #steers: Steer[] = [];
  #isSettled: (() => void)[] = [];
  #successor: SocketReply | undefined;
  isOpen = true;

  constructor(protocol: SocketProtocol, lane: string, follow: (next: SocketReply) => void) {
    this.#protocol = protocol;
    this.lane = lane;
    this.#follow = follow;
    this.response = new Promise((resolve, reject) => {
      this.#settle = { resolve, reject };
    });
    // Nobody may be waiting for a response that the API made by itself.
    this.response.catch(() => {});
  }

  receive(text: string, message: JsonObject): void {
    const steered = this.#protocol.steering?.readOutcome(message);
    if (steered) {
      this.#noteSteer(steered);
      return;
    }
    if (!this.isOpen) {
      if (this.#steers.length > 0) this.#beginSuccessor(text, message);
      return;
    }
    const failure = this.#body ? undefined : this.#protocol.readFailure(message);
    if (failure) {
      const { status, error } = failure;
      this.#settle.resolve(Response.json({ error }, { status }));
      this.#end();
      return;
    }
    this.#id ??= this.#protocol.steering?.readId(message);
    if (!this.#body) this.#begin();
    if (this.#isRead) this.#body!.enqueue(this.#encoder.encode(`${text.replace(/^/gm, 'data: ')}\n\n`));
    if (!this.#protocol.readEvent(message).ends) return;
    if (this.#isRead) this.#body!.close();
    this.#end();
  }

  fail(reason: string): void {
    const error = new Error(`the WebSocket was closed${reason && `: ${reason}`}`);
    if (this.isOpen) {
      if (this.#body && this.#isRead) this.#body.error(error);
      else this.#settle.reject(error);
      this.#end();
    }
    // Whether the API had it is not known; nothing of it was answered.
    this.#tell(this.#steers.splice(0), 'returned');
  }

  /** The message that adds input to this response; undefined if it is not on its way. */
  steer(items: string, told: (outcome: SteerOutcome) => void): string | undefined {
    const { steering } = this.#protocol;
    if (!steering || this.#id === undefined || !this.isOpen) return undefined;
    this.#steers.push({ isAccepted: false, told });
    return steering.toMessage(this.#id, items);
  }

  /** Resolves when it is known what became of all input that was added. */
  get settled(): Promise<void> {
    if (this.#steers.length === 0) return Promise.resolve();
    return new Promise((resolve) => this.#isSettled.push(resolve));
  }

  /** The response that the API made by itself behind this one. */
  takeSuccessor(): SocketReply | undefined {
    const successor = this.#successor;
    this.#successor = undefined;
    return successor;
  }

  whenOver(call: () => void): void {
    if (this.isOpen) this.#over.push(call);
    else call();
  }

  /** Outcomes come in the order in which the input was added. */
  #noteSteer(outcome: 'accepted' | 'pending' | 'failed'): void {
    const steer = outcome === 'accepted' ? this.#steers.find((one) => !one.isAccepted) : this.#steers[0];
    if (!steer) return;
    if (outcome === 'accepted') steer.isAccepted = true;
    else this.#tell(this.#steers.splice(this.#steers.indexOf(steer), 1), outcome === 'pending' ? 'queued' : 'returned');
  }

  #beginSuccessor(text: string, message: JsonObject): void {
    const accepted = this.#steers.filter(({ isAccepted }) => isAccepted);
    this.#steers = this.#steers.filter(({ isAccepted }) => !isAccepted);
    this.#successor = new SocketReply(this.#protocol, this.lane, this.#follow);
    this.#follow(this.#successor);
    this.#successor.receive(text, message);
    this.#tell(accepted, 'committed');
  }

  #tell(steers: readonly Steer[], outcome: SteerOutcome): void {
    for (const { told } of steers) told(outcome);
    if (this.#steers.length === 0) for (const resolve of this.#isSettled.splice(0)) resolve();
  }

  #begin(): void {
    const body = new ReadableStream<Uint8Array>({
      start: (controller) => {
        this.#body = controller;
      },
      cancel: () => {
        this.#isRead = false;
      },
    });
    this.#settle.resolve(new Response(body, { headers: { 'content-type': 'text/event-stream' } }));
  }

  #end(): void {
    this.isOpen = false;
    for (const call of this.#over.splice(0)) call();
  }
}
