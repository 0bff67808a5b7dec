/** Statements that turn tables back into those of the version before they were made smaller. */
export function undoSmaller(): string[] {
  return [
    'drop index skein_node_parent',
    'create index skein_node_parent on skein_node (project, parent, at, id)',
    'drop index skein_entry_of',
    'create index skein_entry_of on skein_entry (project, kind, "of", "order", id)',
    'drop index skein_entry_order',
    'create index skein_entry_order on skein_entry (project, kind, "order", id)',
    "alter table skein_fact alter column value type text using convert_from(value, 'UTF8')",
    "delete from skein_migration where name = '005'",
  ];
}

/** Statements that turn tables back into those of the version before lanes, with a transaction number in every row. */
export function undoLanes(): string[] {
  const tables = ['node', 'take', 'ref', 'entry', 'other'];
  return [
    ...undoSmaller(),
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
