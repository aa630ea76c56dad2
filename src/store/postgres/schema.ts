// The tables of a board on PostgreSQL and the functions that are the only way to change them. A role that may write has no
// right on a table but to read it: the journal cannot be altered, only appended to, and each new line must follow from the
// last one. What a migration leads to is never changed once it was released; a later version appends one. A function that a
// later one replaces is only there.

/** What this program understands. A database that has more is left alone. */
export const SCHEMA_VERSION = 3;

/** Everything is in a schema of its own, so that a database may hold other things. */
export const SCHEMA = 'liza';

/** Commits are announced here, for every board of the database by name. */
export const CHANNEL = 'liza';

const TABLES = `
create table liza.version (version int not null, applied timestamptz not null default clock_timestamp());

create table liza.board (
  id text primary key,
  seq bigint not null default 0,
  hash text not null default repeat('0', 64),
  -- The sections of the state's text, in their order.
  sections text[] not null default '{}',
  -- 'filling' and 'ready': not in charge yet; 'open': this is the board; 'moved': it is in a state.yaml again.
  stage text not null default 'filling',
  -- The first commit of its repository: a host with another one has the wrong folder.
  repository text,
  created timestamptz not null default clock_timestamp()
);

-- The truth: one line for each transaction, each naming the hash of the line before it.
create table liza.entry (
  board text not null references liza.board,
  seq bigint not null,
  line text not null,
  hash text not null,
  commit_id text not null,
  host text,
  at timestamptz not null default clock_timestamp(),
  primary key (board, seq),
  unique (board, commit_id)
);

-- The state's text in pieces, and the value of each: what the entries lead to, for cold starts and queries.
create table liza.record (
  board text not null references liza.board,
  section text not null,
  key text not null,
  place bigint not null,
  text text not null,
  value json,
  primary key (board, section, key)
);
create index record_in_order on liza.record (board, section, place);

create table liza.archived (
  board text not null references liza.board,
  kind text not null check (kind in ('task', 'goal')),
  id text not null,
  status text not null,
  goal text,
  text text not null,
  -- The entry with which it left the state.
  seq bigint not null,
  place bigserial,
  primary key (board, kind, id)
);
create index archived_since on liza.archived (board, seq);

create table liza.switch (
  board text not null references liza.board,
  name text not null check (name in ('ABORT', 'CHECKPOINT', 'PAUSE')),
  since timestamptz not null,
  primary key (board, name)
);

create table liza.lease (
  board text not null references liza.board,
  agent text not null,
  task text,
  epoch bigint not null,
  expires timestamptz not null,
  heartbeat timestamptz not null,
  host text not null,
  -- The process that renews it, as its own host names it.
  process text,
  stopped boolean not null default false,
  primary key (board, agent)
);

create table liza.host (
  board text not null references liza.board,
  id text not null,
  name text not null,
  version text not null,
  joined timestamptz not null,
  seen timestamptz not null,
  -- How far it has read.
  seq bigint not null default 0,
  primary key (board, id)
);
`;

const FUNCTIONS = `
-- The clock that counts.
create function liza.now() returns timestamptz language sql volatile set search_path = liza, pg_temp
  as 'select clock_timestamp()';

-- Returns when everything that was committed before is on the disk, and wherever else a commit has to be.
create function liza.flush() returns void language sql security definer set search_path = liza, pg_temp
  as $$ select pg_logical_emit_message(true, 'liza', '') $$;

create function liza.apply(p_board text, p_seq bigint, p_change json)
  returns void language plpgsql set search_path = liza, pg_temp as $$
begin
  if p_change->'drop' is not null then
    delete from liza.record r using json_to_recordset(p_change->'drop') as d(section text, key text)
      where r.board = p_board and r.section = d.section and (d.key is null or r.key = d.key);
  end if;
  if p_change->'put' is not null then
    insert into liza.record (board, section, key, place, text, value)
      select p_board, n.section, n.key, n.place, n.text, n.value from (
        select d.section, d.key, d.text, d.value, row_number() over () + coalesce((select max(r.place) from liza.record r
            where r.board = p_board and r.section = d.section), 0) as place
          from json_to_recordset(p_change->'put') as d(section text, key text, text text, value json)) n
      on conflict (board, section, key) do update set text = excluded.text, value = excluded.value;
  end if;
  if p_change->'archive' is not null then
    insert into liza.archived (board, kind, id, status, goal, text, seq)
      select p_board, a.kind, a.id, a.status, a.goal, a.text, p_seq
        from json_to_recordset(p_change->'archive') as a(kind text, id text, status text, goal text, text text)
      on conflict (board, kind, id) do update set status = excluded.status, goal = excluded.goal, text = excluded.text, seq = p_seq;
  end if;
  if p_change->'switches' is not null then
    delete from liza.switch s using json_each_text(p_change->'switches') w
      where s.board = p_board and s.name = w.key and w.value = 'false';
    insert into liza.switch (board, name, since)
      select p_board, w.key, liza.now() from json_each_text(p_change->'switches') w where w.value = 'true'
      on conflict do nothing;
  end if;
end $$;

-- Whether a commit took effect whose answer was lost. The turn it was made in is over once its row can be locked, so the
-- answer is final.
create function liza.settle(p_board text, p_commit text)
  returns table (seq bigint, line text, hash text) language plpgsql security definer set search_path = liza, pg_temp as $$
begin
  perform from liza.board where id = p_board for update;
  return query select e.seq, e.line, e.hash from liza.entry e where e.board = p_board and e.commit_id = p_commit;
end $$;

-- A heartbeat. Never shortens a lease of the same epoch, never writes over one of a later epoch of the same task.
create function liza.renew(p_board text, p_agent text, p_task text, p_epoch bigint, p_seconds float8, p_host text, p_process text, p_stops boolean)
  returns setof liza.lease language sql security definer set search_path = liza, pg_temp as $$
  insert into liza.lease as l (board, agent, task, epoch, expires, heartbeat, host, process, stopped)
    values (p_board, p_agent, p_task, p_epoch, liza.now() + make_interval(secs => p_seconds), liza.now(), p_host, p_process, p_stops)
    on conflict (board, agent) do update set
      expires = case when l.epoch = excluded.epoch and l.task is not distinct from excluded.task
        then greatest(l.expires, excluded.expires) else excluded.expires end,
      process = case when excluded.process is null and l.epoch = excluded.epoch and l.task is not distinct from excluded.task and l.host = excluded.host
        then l.process else excluded.process end,
      task = excluded.task, epoch = excluded.epoch, heartbeat = excluded.heartbeat, host = excluded.host, stopped = excluded.stopped
    where l.task is distinct from excluded.task or l.epoch <= excluded.epoch
    returning *;
$$;

-- A host says that it is there.
create function liza.greet(p_board text, p_host text, p_name text, p_version text, p_seq bigint)
  returns void language sql security definer set search_path = liza, pg_temp as $$
  insert into liza.host (board, id, name, version, joined, seen, seq)
    values (p_board, p_host, p_name, p_version, liza.now(), liza.now(), p_seq)
    on conflict (board, id) do update set name = excluded.name, version = excluded.version, seen = excluded.seen, seq = excluded.seq;
$$;

-- Moving a board here and away again, in stages that a kill between them leaves clear.
create function liza.begin_filling(p_board text, p_repository text)
  returns text language plpgsql security definer set search_path = liza, pg_temp as $$
declare
  b liza.board;
begin
  insert into liza.board (id, repository) values (p_board, p_repository) on conflict (id) do nothing;
  select * into b from liza.board where id = p_board for update;
  if b.stage = 'open' then
    return b.stage;
  end if;
  delete from liza.record where board = p_board;
  delete from liza.archived where board = p_board;
  delete from liza.switch where board = p_board;
  delete from liza.lease where board = p_board;
  delete from liza.entry where board = p_board;
  update liza.board set seq = 0, hash = repeat('0', 64), sections = '{}', stage = 'filling' where id = p_board;
  return 'filling';
end $$;

create function liza.fill(p_board text, p_lines json, p_change json)
  returns void language plpgsql security definer set search_path = liza, pg_temp as $$
declare
  b liza.board;
  l record;
begin
  select * into b from liza.board where id = p_board for update;
  if b.stage <> 'filling' then
    raise exception 'LZ001 this board is not being filled' using errcode = 'LZ001';
  end if;
  for l in select x.value as line, x.ordinality as n from json_array_elements_text(p_lines) with ordinality x loop
    if (l.line::json->>'prev') <> b.hash then
      raise exception 'LZ002 a line does not follow from entry %', b.seq using errcode = 'LZ002';
    end if;
    b.seq := b.seq + 1;
    b.hash := encode(sha256(convert_to(l.line, 'UTF8')), 'hex');
    insert into liza.entry (board, seq, line, hash, commit_id) values (p_board, b.seq, l.line, b.hash, 'filled-' || b.seq);
  end loop;
  perform liza.apply(p_board, b.seq, p_change);
  update liza.board set seq = b.seq, hash = b.hash,
    sections = coalesce((select array_agg(x) from json_array_elements_text(p_change->'sections') x), sections) where id = p_board;
end $$;

create function liza.set_stage(p_board text, p_from text, p_to text, p_hash text)
  returns boolean language plpgsql security definer set search_path = liza, pg_temp as $$
declare
  b liza.board;
begin
  select * into b from liza.board where id = p_board for update;
  if b.id is null or (b.hash <> p_hash and b.stage <> p_to) or b.stage not in (p_from, p_to)
    or (p_from, p_to) not in (('filling', 'ready'), ('ready', 'open'), ('open', 'moved')) then
    return false;
  end if;
  update liza.board set stage = p_to where id = p_board;
  perform pg_notify('liza', p_board || ' ' || b.seq);
  return true;
end $$;
`;

/** What a person says of a host, and every look at the board tells. */
const DRAINED_AND_TAGS = `
alter table liza.host add column drained timestamptz, add column tags text[] not null default '{}';

-- A writer's turn begins: holds the board's row until the transaction ends, and tells what the writer has missed. The
-- first row is about the board, each other one is an entry.
create or replace function liza.look(p_board text, p_seq bigint, p_hash text, p_lock boolean)
  returns table (seq bigint, line text, hash text) language plpgsql security definer set search_path = liza, pg_temp as $$
declare
  b liza.board;
begin
  if p_lock then
    select * into b from liza.board where id = p_board for update;
  else
    select * into b from liza.board where id = p_board;
  end if;
  if b.id is null then
    return;
  end if;
  return query select b.seq, json_build_object(
    'now', extract(epoch from liza.now()) * 1000,
    'stage', b.stage,
    'follows', p_seq = 0 or exists (select from liza.entry e where e.board = p_board and e.seq = p_seq and e.hash = p_hash),
    'switches', coalesce((select json_object_agg(s.name, extract(epoch from s.since) * 1000) from liza.switch s where s.board = p_board), '{}'),
    'leases', coalesce((select json_agg(json_build_object('agent', l.agent, 'task', l.task, 'epoch', l.epoch,
        'expires', extract(epoch from l.expires) * 1000, 'heartbeat', extract(epoch from l.heartbeat) * 1000,
        'host', l.host, 'process', l.process, 'stopped', l.stopped)) from liza.lease l where l.board = p_board), '[]'),
    -- One that was not seen for a month is history.
    'hosts', coalesce((select json_agg(json_build_object('id', h.id, 'name', h.name, 'version', h.version,
        'seen', extract(epoch from h.seen) * 1000, 'drained', h.drained is not null, 'tags', to_json(h.tags)) order by h.joined)
        from liza.host h where h.board = p_board and h.seen > liza.now() - interval '30 days'), '[]')
  )::text, b.hash;
  -- A reader without the lock sees the entries of one moment, which may be more than the row above said.
  return query select e.seq, e.line, e.hash from liza.entry e where e.board = p_board and e.seq > p_seq order by e.seq limit 10000;
end $$;

-- Null: as it is. In the same transaction as the entry that tells of it.
create function liza.set_host(p_board text, p_host text, p_drained boolean, p_tags text[])
  returns void language sql security definer set search_path = liza, pg_temp as $$
  update liza.host set tags = coalesce(p_tags, tags),
    drained = case when p_drained is null then drained when p_drained then coalesce(drained, liza.now()) end
    where board = p_board and id = p_host;
$$;
revoke execute on function liza.set_host(text, text, boolean, text[]), liza.look(text, bigint, text, boolean) from public;

-- Roles that work on boards already.
do $$
declare
  r record;
begin
  for r in select distinct a.grantee::regrole as role from pg_proc p, aclexplode(p.proacl) a
    where p.oid = 'liza.greet(text, text, text, text, bigint)'::regprocedure and a.grantee <> 0 and a.grantee <> p.proowner loop
    execute format('grant execute on function liza.set_host(text, text, boolean, text[]) to %s', r.role);
  end loop;
end $$;
`;

const ENTRIES_ALONE = `
-- Appends one entry that follows from the last one, with all that it changes. Only within a writer's turn. A line that is no
-- entry, or says of itself that it follows another one, would hold up every reader.
create or replace function liza.append(p_board text, p_seq bigint, p_prev text, p_commit text, p_host text, p_line text, p_change json)
  returns text language plpgsql security definer set search_path = liza, pg_temp as $$
declare
  b liza.board;
  h text := encode(sha256(convert_to(p_line, 'UTF8')), 'hex');
begin
  select * into b from liza.board where id = p_board for update;
  if b.id is null or b.stage <> 'open' then
    raise exception 'LZ001 this board is not here' using errcode = 'LZ001';
  end if;
  if b.seq <> p_seq - 1 or b.hash <> p_prev then
    raise exception 'LZ002 entry % does not follow from entry %', p_seq, b.seq using errcode = 'LZ002';
  end if;
  if length(p_line) > 200000000 or strpos(p_line, chr(10)) > 0 or (
    select string_agg(f.key || ' ' || case when f.key in ('prev', 'seq') then f.value::text else json_typeof(f.value) end,
        ', ' order by f.key collate "C")
      from json_each(p_line::json) f where f.key in ('actor', 'change', 'command', 'detail', 'prev', 'records', 'seq', 'state', 'time')
    ) is distinct from format('actor string, change array, command string, detail string, prev "%s", records array, seq %s, state string, time string', p_prev, p_seq) then
    raise exception 'LZ002 this is no line of entry %', p_seq using errcode = 'LZ002';
  end if;
  insert into liza.entry (board, seq, line, hash, commit_id, host, at)
    values (p_board, p_seq, p_line, h, p_commit, p_host, liza.now());
  perform liza.apply(p_board, p_seq, p_change);
  update liza.board set seq = p_seq, hash = h,
    sections = coalesce((select array_agg(x) from json_array_elements_text(p_change->'sections') x), sections)
    where id = p_board;
  perform pg_notify('liza', p_board || ' ' || p_seq);
  return h;
end $$;
revoke execute on function liza.append(text, bigint, text, text, text, text, json) from public;
`;

/** By version: what leads to it from the one before. */
export const MIGRATIONS: readonly string[] = [
  `create schema if not exists ${SCHEMA};
   revoke all on schema ${SCHEMA} from public;
   ${TABLES}
   ${FUNCTIONS}
   revoke execute on all functions in schema ${SCHEMA} from public;
   insert into liza.version (version) values (1);`,
  `${DRAINED_AND_TAGS}
   insert into liza.version (version) values (2);`,
  `${ENTRIES_ALONE}
   insert into liza.version (version) values (3);`,
];
