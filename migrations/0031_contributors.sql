-- A contributor adds media to a library, and removes what they added themselves. `member` is the role of those who only
-- read; the app calls it Reader.
alter table memberships
  drop constraint memberships_role_known,
  add constraint memberships_role_known check (role in ('admin', 'contributor', 'member'));

alter table library_invitations
  drop constraint library_invitations_role_known,
  add constraint library_invitations_role_known check (role in ('admin', 'contributor', 'member'));
