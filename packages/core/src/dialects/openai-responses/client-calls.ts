import { isObject, isText } from '../../json/index.ts';
import type { Unit } from '../write/index.ts';
import { itemsOf } from './items.ts';
import { withoutItems } from './repair.ts';

/** Calls of the provider's tools that the client runs. They are no blocks, but have to be answered all the same. */
const RUN_BY_CLIENT = /"((?:local_)?shell|apply_patch)_call"/;

/** A unit with these calls among its own; what ran on the server has its output beside it. */
export function withClientCalls(unit: Unit): Unit {
  if (unit.role !== 'assistant' || !RUN_BY_CLIENT.test(unit.text)) return unit;
  const items = itemsOf(`[${unit.text}]`)
    .items.map(({ value }) => value)
    .filter(isObject);
  const open = items.filter(
    (item) =>
      RUN_BY_CLIENT.test(JSON.stringify(item.type)) &&
      !items.some(({ type, call_id: id }) => type === `${item.type}_output` && id === item.call_id),
  );
  const calls = open.flatMap(({ type, call_id: id }) =>
    isText(id) ? { id, name: String(type), form: String(type) } : [],
  );
  return { ...unit, calls: [...unit.calls, ...calls] };
}

/** No screenshot can stand in for another: a computer's call without one goes (`call-unanswered`). */
export function settleComputers(units: readonly Unit[]): ReadonlyMap<number, Unit | undefined> {
  const settled = new Map<number, Unit | undefined>();
  const isCaller = ({ role, text }: Unit): boolean => role === 'assistant' && text.includes('"computer_call"');
  if (!units.some(isCaller)) return settled;
  const screens = units.filter(({ text }) => text.includes('"computer_call_output"')).map(({ text }) => text);
  units.forEach((unit, index) => {
    if (!isCaller(unit)) return;
    const rest = withoutItems(
      unit,
      ({ type, call_id: id }) => type === 'computer_call' && !screens.some((text) => text.includes(JSON.stringify(id))),
    );
    if (rest !== unit) settled.set(index, rest.text.trim() ? rest : undefined);
  });
  return settled;
}
