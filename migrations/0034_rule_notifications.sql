-- What rules with `notify` have told their person. Rows go with the rule, the media or the person.
create table rule_notifications (
  id uuid primary key,
  user_id uuid not null references users on delete cascade,
  rule_id uuid not null references rules on delete cascade,
  media_id uuid not null references media on delete cascade,
  created_at timestamptz not null default now(),
  seen_at timestamptz
);
create index rule_notifications_user_id_idx on rule_notifications (user_id, id);
create index rule_notifications_unseen_idx on rule_notifications (user_id, id) where seen_at is null;
create index rule_notifications_rule_id_idx on rule_notifications (rule_id);
create index rule_notifications_media_id_idx on rule_notifications (media_id);
create index rule_notifications_created_at_idx on rule_notifications (created_at);
