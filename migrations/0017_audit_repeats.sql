-- Entries that anybody can cause, such as refused keys, are written once a minute for each origin, with a count.
-- The key names what is counted together; all other entries have none.
alter table audit_logs add column repeat_key text;

create unique index audit_logs_repeat_key on audit_logs (repeat_key) where repeat_key is not null;
