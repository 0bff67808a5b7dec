import { SkeinError } from '@skein/core';

/** A request that the gateway refuses, because it could not do what the client's program relies on. */
export class ClientRefusal extends SkeinError {
  override readonly name = 'ClientRefusal';
  readonly code = 'invalid_request';
  readonly status = 400;
  /** The member of the request that is refused. */
  readonly param: string | undefined;

  constructor(message: string, { param }: { readonly param?: string } = {}) {
    super(message);
    this.param = param;
  }
}
