import { sql } from 'kysely';
import { ROOT, type StoreRecord } from '../../model/index.ts';
import { keyOf } from '../key-of.ts';
import { hashFault } from '../record-fault.ts';
import type { Problem } from '../store.ts';
import { allOf, KINDS } from './all-records.ts';
import type { Context } from './context.ts';

/** Reads every row, makes every hash again, and looks for what is named and not there. */
export async function check(context: Context): Promise<Problem[]> {
  const found = { ...context, problems: new Map<string, Problem>() };
  const wrong: Problem[] = [];
  for (const kind of KINDS)
    for await (const records of allOf(found, kind)) wrong.push(...records.flatMap(({ record }) => hashProblem(record)));
  const { db, own } = context;
  const { rows: orphans } = await sql<{ id: string; parent: string }>`
    select id, parent from skein_node as node
    where project = ${own} and parent <> ${ROOT}
      and not exists (select from skein_node where project = ${own} and id = node.parent)`.execute(db);
  const { rows: empty } = await sql<{ id: string; body: string }>`
    select id, body from skein_node as node
    where project = ${own} and not exists (select from skein_body where project = ${own} and digest = node.body)
  `.execute(db);
  return [
    ...found.problems.values(),
    ...wrong,
    ...orphans.map(({ id, parent }) =>
      problem('missing-parent', id, `Node ${id} follows ${parent}, which is not there`),
    ),
    ...empty.map(({ id, body }) => problem('missing-body', id, `The text ${body} of node ${id} is not there`)),
  ];
}

function hashProblem(record: StoreRecord): Problem[] {
  const fault = hashFault(record);
  return fault === undefined ? [] : [{ ...problem('wrong-hash', keyOf(record), fault), subject: keyOf(record) }];
}

function problem(code: Problem['code'], where: string, message: string): Problem {
  return { code, where, message };
}
