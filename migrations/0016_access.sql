-- Bootstrap changes only the people that it made itself. Null for everybody else; otherwise the NEXUS_ENV of the last
-- start that set the person up, so that the first start in prod can disable those who were set up elsewhere.
alter table users
  add column bootstrapped_in text
    constraint users_bootstrapped_in_known check (bootstrapped_in in ('dev', 'test', 'prod'));

-- So far only the audit log says whom bootstrap made. In which environment is not known, and dev is the safe answer.
update users
set bootstrapped_in = 'dev'
where lower(username) in ('dev-viewer', 'dev-operator', 'dev-researcher', 'dev-admin')
  and exists (
    select
    from audit_logs
    where action = 'user.created' and actor = 'system' and details ->> 'user_id' = users.id::text
  );

alter table users alter column role set default 'viewer';

-- A pending invitation needs an inviter who may still invite.
update library_invitations as invitation
set status = 'revoked', responded_at = now()
where status = 'pending'
  and not exists (
    select
    from memberships
    join users on users.id = memberships.user_id
    where memberships.library_id = invitation.library_id
      and memberships.user_id = invitation.inviter_user_id
      and memberships.role = 'admin'
      and users.disabled_at is null
  );

-- For revoking what somebody has sent when they lose the right to invite.
create index library_invitations_pending_inviter_idx on library_invitations (inviter_user_id) where status = 'pending';
