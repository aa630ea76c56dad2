-- The rights that a host of a Liza board needs, and no more: it may read, and call the functions that append to a journal.
-- No right lets it change or delete what is in a journal. The owner of the schema runs it after the first move, and again
-- after an update that changed the tables; then the role gets a password: \password liza_host
-- Who owns the schema and may not make roles lets an administrator do that first: create role liza_host login
-- With another name: liza store role <name>.

begin;

do $$
begin
  if not exists (select from pg_roles where rolname = 'liza_host') then
    create role liza_host login;
  end if;
end $$;

revoke all on schema liza from liza_host;
grant usage on schema liza to liza_host;
revoke all on all tables in schema liza from liza_host;
grant select on all tables in schema liza to liza_host;
revoke all on all functions in schema liza from liza_host;
grant execute on all functions in schema liza to liza_host;

-- A board is brought into the database by the owner alone.
revoke execute on function liza.begin_filling(text, text), liza.fill(text, json, json) from liza_host;

commit;
