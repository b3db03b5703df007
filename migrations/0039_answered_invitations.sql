-- The name that the library had when the invitation was answered or revoked. Its later names are for its members.
alter table library_invitations add column library_name text;

update library_invitations
set library_name = libraries.name
from libraries
where libraries.id = library_invitations.library_id and status <> 'pending';
