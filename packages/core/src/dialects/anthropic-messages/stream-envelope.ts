import { getMember, type RecordNode, setMember } from '../../json/index.ts';

/** Later values replace earlier ones, those of `usage` one by one; `null` replaces nothing. */
export function update(envelope: RecordNode, { members }: RecordNode): void {
  for (const { name, key, value } of members) {
    const before = getMember(envelope, name);
    if (name === 'usage' && value.kind === 'record' && before?.kind === 'record') update(before, value);
    else if (!before || value.kind !== 'leaf' || value.text !== 'null') setMember(envelope, name, value, key);
  }
}
