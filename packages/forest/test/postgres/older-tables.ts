/** Statements that turn tables back into those of the version before lanes, with a transaction number in every row. */
export function undoLanes(): string[] {
  const tables = ['node', 'take', 'ref', 'entry', 'other'];
  return [
    ...tables.flatMap((table) => [
      `drop index skein_${table}_lane`,
      `alter table skein_${table} drop column lane, drop column n, add column xid xid8 not null default pg_current_xact_id()`,
      `create index skein_${table}_xid on skein_${table} (project, xid)`,
    ]),
    "alter table skein_body add column seq bigint not null default nextval('skein_seq')",
    'alter table skein_body add column xid xid8 not null default pg_current_xact_id()',
    'drop index skein_node_depth',
    'create index skein_node_seq on skein_node (project, seq)',
    'drop table skein_lane',
    "delete from skein_migration where name = '004'",
  ];
}
