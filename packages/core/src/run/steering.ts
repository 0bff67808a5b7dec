import { type Message, textMessage } from '../message/message.ts';

/** What a caller adds to the conversation while a run goes on, as the run takes it. */
export interface SteeringInput {
  readonly waiting: (string | Message)[];
  /** Set while a response is on its way that can be steered: sends a message into it; false if it cannot. */
  deliver?: ((message: string | Message) => boolean) | undefined;
  /** The run takes no more. */
  isOver: boolean;
}

/** Sends a message into a response. `told` says whether and how the API took it. */
type Delivery = (message: Message, told: (outcome: 'committed' | 'queued' | 'returned') => void) => boolean;

/**
 * The messages that a caller adds. Where the API can be steered, they go into the response that is on its way; everywhere
 * else they wait for the next request.
 */
export class Steering {
  readonly #input: SteeringInput;
  readonly #committed: Message[] = [];
  readonly #queued: Message[] = [];

  constructor(input: SteeringInput) {
    this.#input = input;
  }

  /** From now on, messages go into the response that is on its way. */
  open(deliver: Delivery): void {
    const lists = { committed: this.#committed, queued: this.#queued, returned: this.#input.waiting };
    this.#input.deliver = (given) => {
      const message = toMessage(given);
      return deliver(message, (outcome) => lists[outcome].push(message));
    };
  }

  /** From now on, messages wait. */
  shut(): void {
    this.#input.deliver = undefined;
  }

  /** Whether there is something that the model has not answered yet. */
  get hasMore(): boolean {
    return this.#input.waiting.length + this.#queued.length > 0;
  }

  /** Messages that the API took and answers in a response that follows by itself. */
  takeCommitted(): readonly Message[] {
    return this.#committed.splice(0);
  }

  /** Messages that the API took and puts before the next request. */
  takeQueued(): readonly Message[] {
    return this.#queued.splice(0);
  }

  /** Messages that the next request has to contain. */
  takeWaiting(): readonly Message[] {
    return this.#input.waiting.splice(0).map(toMessage);
  }

  /** Takes no more messages. */
  close(): void {
    this.#input.isOver = true;
  }
}

function toMessage(given: string | Message): Message {
  return typeof given === 'string' ? textMessage('user', given) : given;
}
