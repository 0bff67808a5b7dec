import type { JsonObject } from '../../json/index.ts';
import type { StreamEvent } from '../stream/events.ts';
import { field, fieldText, objectField, stringField } from './fields.ts';
import { PartialArguments } from './partial-args.ts';

/** Tells of calls while they arrive. Arguments in pieces are told when the call is complete. */
export class StreamedCalls {
  count = 0;
  #pieces: PartialArguments | undefined;

  add(part: JsonObject, text: string, events: StreamEvent[]): void {
    const call = objectField(part, 'functionCall');
    if (!call) return;
    const native = fieldText(text, 0, 'functionCall')!;
    const name = stringField(call, 'name') ?? '';
    if (name !== '') {
      // A call without an id has one only in the complete message.
      events.push({ type: 'tool-use', index: this.count++, id: stringField(call, 'id') ?? '', name });
      this.#pieces = undefined;
    }
    const index = this.count - 1;
    const args = fieldText(native, 0, 'args');
    if (args !== undefined && index >= 0) events.push({ type: 'tool-arguments', index, text: args });
    const partial = field(call, 'partialArgs');
    const more = field(call, 'willContinue') === true;
    if (more || Array.isArray(partial)) this.#pieces ??= new PartialArguments();
    if (Array.isArray(partial)) this.#pieces?.add(partial, fieldText(native, 0, 'partialArgs')!);
    if (more || !this.#pieces) return;
    if (args === undefined && index >= 0) events.push({ type: 'tool-arguments', index, text: this.#pieces.text() });
    this.#pieces = undefined;
  }
}
