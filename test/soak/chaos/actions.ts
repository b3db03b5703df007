import { authorOf, fact } from './facts.ts';
import {
  observeHighlight,
  observeInvitation,
  observeLibrary,
  observeListing,
  observePage,
} from './observe.ts';
import { pick, type Weighted } from './pick.ts';
import type { Highlight, Library, Page, Person, World } from './world.ts';

/** Something that a person does. A request without an answer is followed by reading what it should have changed. */
type Action = (world: World, person: Person) => Promise<unknown>;

const ROLES = ['admin', 'contributor', 'member'];
const COLORS = ['yellow', 'green', 'blue', 'pink'];
const TAGS = ['art', 'birds', 'cities', 'dreams'];
/** So few that people meet in them. */
const MOST_LIBRARIES = 12;
/** People save these again and again, and add them to libraries; other pages are saved once. */
const COMMON_PAGES = 25;
const TWINS = 30;

export const actions: Weighted<Action>[] = [
  [
    'save a page',
    8,
    (world, person) => save(world, person, `common-${Math.floor(person.chance() * COMMON_PAGES)}`),
  ],
  ['save a new page', 8, (world, person) => save(world, person, world.newName('new'))],
  ['save a page that has moved', 2, saveMoved],
  ['remove a saved page', 3, unsave],
  ['create a library', 2, createLibrary],
  ['delete a library', 0.7, deleteLibrary],
  ['invite', 6, invite],
  ['accept', 7, (world, person) => respond(world, person, 'accept')],
  ['decline', 1, (world, person) => respond(world, person, 'decline')],
  ['add to a library', 12, add],
  ['remove from a library', 6, remove],
  ['leave', 1, (world, person) => expel(world, person, person)],
  ['remove a member', 2, (world, person) => expel(world, person, anybody(world, person))],
  ['change a role', 4, changeRole],
  ['transfer', 0.5, transfer],
  ['tag', 5, tag],
  ['tag in a library', 4, tagInLibrary],
  ['highlight', 5, highlight],
  ['change a highlight', 3, recolor],
  ['share a highlight', 6, share],
  ['delete a highlight', 1, deleteHighlight],
  ['read', 8, read],
];

async function save(world: World, person: Person, name: string): Promise<void> {
  const url = `${world.fleet.site.url}/${name}`;
  const library = person.chance() < 0.3 ? libraryOf(world, person) : undefined;
  const outcome = await world.post(person, '/media', { url, ...(library && { library_id: library.id }) });
  world.record(outcome, fact.saved(person.name, name), 'yes');
  if (library) world.record(outcome, fact.listed(library.name, name), 'yes');
  if (outcome.kind === 'done') {
    world.pages.set(name, { name, id: outcome.answer.body.data.media_id });
    person.pages.add(name);
    library?.pages.add(name);
  }
  const page = world.pages.get(name);
  if (outcome.kind === 'unknown' && page) await observePage(world, person, page);
}

/** Saves one of two links that lead to the same page. The two media become one; nobody removes them meanwhile. */
async function saveMoved(world: World, person: Person): Promise<void> {
  const name = `twin-${Math.floor(person.chance() * TWINS)}`;
  const url = `${world.fleet.site.url}/moved/${pick(['a', 'b'], person.chance)}/${name}`;
  world.record(await world.post(person, '/media', { url }), fact.saved(person.name, name), 'yes');
}

async function unsave(world: World, person: Person): Promise<void> {
  const page = anyPage(world, person);
  if (!page) return;
  const outcome = await world.send(
    person,
    'DELETE',
    `/libraries/${person.defaultLibraryId}/media/${page.id}`,
  );
  world.record(outcome, fact.saved(person.name, page.name), undefined);
  person.pages.delete(page.name);
  if (outcome.kind === 'unknown') await observePage(world, person, page);
}

async function createLibrary(world: World, person: Person): Promise<void> {
  if (world.libraries.size >= MOST_LIBRARIES) return;
  const name = world.newName('library');
  const outcome = await world.post(person, '/libraries', { name });
  world.record(outcome, fact.library(name), 'there');
  world.record(outcome, fact.owner(name), person.name);
  world.record(outcome, fact.member(name, person.name), 'admin');
  if (outcome.kind !== 'done') return;
  const roles = new Map([[person.name, 'admin']]);
  world.libraries.set(name, { name, id: outcome.answer.body.data.id, roles, pages: new Set() });
}

async function deleteLibrary(world: World, person: Person): Promise<void> {
  const library = libraryOf(world, person, 'admin');
  if (!library || world.libraries.size < MOST_LIBRARIES / 2) return;
  const outcome = await world.send(person, 'DELETE', `/libraries/${library.id}`);
  world.record(outcome, fact.library(library.name), undefined);
  if (outcome.kind === 'done') world.libraries.delete(library.name);
  if (outcome.kind === 'unknown') await observeLibrary(world, person, library);
}

async function invite(world: World, person: Person): Promise<void> {
  const library = libraryOf(world, person, 'admin');
  const invitee = anybody(world, person);
  if (!library || library.roles.has(invitee.name)) return;
  const body = { invitee_user_id: invitee.id, role: pick(ROLES, person.chance) };
  const outcome = await world.post(person, `/libraries/${library.id}/invites`, body);
  if (outcome.kind !== 'done') return;
  const { id } = outcome.answer.body.data;
  world.record(outcome, fact.invitation(id, library.name, person.name), 'pending');
  world.invitations.set(id, { id, library, inviter: person, invitee });
}

async function respond(world: World, person: Person, response: 'accept' | 'decline'): Promise<void> {
  const mine = [...world.invitations.values()].filter(({ invitee }) => invitee === person);
  const invitation = pick(mine, person.chance);
  if (!invitation) return;
  const { id, library, inviter } = invitation;
  world.invitations.delete(id);
  const outcome = await world.post(person, `/libraries/invites/${id}/${response}`);
  const status = fact.invitation(id, library.name, inviter.name);
  world.record(outcome, status, response === 'accept' ? 'accepted' : 'declined');
  if (outcome.kind === 'unknown') await observeInvitation(world, invitation);
  if (response === 'decline') return;
  const membership = fact.member(library.name, person.name);
  if (outcome.kind === 'unknown') {
    for (const role of ROLES) world.record(outcome, membership, role);
    await observeLibrary(world, person, library);
  }
  if (outcome.kind !== 'done') return;
  const { membership: now, idempotent } = outcome.answer.body.data;
  if (idempotent) world.history.read(membership, now?.role, outcome);
  else world.record(outcome, membership, now?.role);
  if (now) library.roles.set(person.name, now.role);
}

async function add(world: World, person: Person): Promise<void> {
  const library = libraryOf(world, person);
  const page = anyPage(world, person);
  if (!library || !page) return;
  const outcome = await world.post(person, `/libraries/${library.id}/media`, { media_id: page.id });
  world.record(outcome, fact.listed(library.name, page.name), 'yes');
  if (outcome.kind === 'done') library.pages.add(page.name);
  if (outcome.kind === 'unknown') await observeListing(world, person, library);
}

async function remove(world: World, person: Person): Promise<void> {
  const library = libraryOf(world, person);
  const page = library && pageIn(world, person, library);
  if (!page) return;
  const outcome = await world.send(person, 'DELETE', `/libraries/${library.id}/media/${page.id}`);
  world.record(outcome, fact.listed(library.name, page.name), undefined);
  if (outcome.kind === 'done') library.pages.delete(page.name);
  if (outcome.kind === 'unknown') await observeListing(world, person, library);
}

async function expel(world: World, person: Person, member: Person): Promise<void> {
  const library = libraryOf(world, person, person === member ? undefined : 'admin');
  if (!library) return;
  const outcome = await world.send(person, 'DELETE', `/libraries/${library.id}/members/${member.id}`);
  world.record(outcome, fact.member(library.name, member.name), undefined);
  if (outcome.kind === 'done') library.roles.delete(member.name);
  if (outcome.kind === 'unknown') await observeLibrary(world, member, library);
}

async function changeRole(world: World, person: Person): Promise<void> {
  const library = libraryOf(world, person, 'admin');
  const member = anybody(world, person);
  if (!library?.roles.has(member.name)) return;
  const role = pick(ROLES, person.chance) ?? '';
  const outcome = await world.send(person, 'PATCH', `/libraries/${library.id}/members/${member.id}`, {
    role,
  });
  world.record(outcome, fact.member(library.name, member.name), role);
  if (outcome.kind === 'done') library.roles.set(member.name, role);
  if (outcome.kind === 'unknown') await observeLibrary(world, member, library);
}

async function transfer(world: World, person: Person): Promise<void> {
  const library = libraryOf(world, person, 'admin');
  const member = anybody(world, person);
  if (!library?.roles.has(member.name)) return;
  const path = `/libraries/${library.id}/transfer-ownership`;
  const outcome = await world.post(person, path, { new_owner_user_id: member.id });
  world.record(outcome, fact.owner(library.name), member.name);
  world.record(outcome, fact.member(library.name, member.name), 'admin');
  if (outcome.kind === 'unknown') await observeLibrary(world, member, library);
}

async function tag(world: World, person: Person): Promise<void> {
  const page = anyPage(world, person);
  if (!page) return;
  const tags = someTags(person);
  const outcome = await world.send(person, 'PATCH', `/media/${page.id}/mine`, { tags });
  world.record(outcome, fact.tags(person.name, page.name), tags.join(',') || undefined);
  if (outcome.kind === 'unknown') await observePage(world, person, page);
}

async function tagInLibrary(world: World, person: Person): Promise<void> {
  const library = libraryOf(world, person);
  const page = library && pageIn(world, person, library);
  if (!page) return;
  const tags = someTags(person);
  const outcome = await world.send(person, 'PATCH', `/libraries/${library.id}/media/${page.id}`, { tags });
  world.record(outcome, fact.libraryTags(library.name, page.name), tags.join(',') || undefined);
  if (outcome.kind === 'unknown') await observeListing(world, person, library);
}

async function highlight(world: World, person: Person): Promise<void> {
  const page = anyPage(world, person);
  if (!page) return;
  const name = world.newName(`${person.name}/highlight`);
  const color = pick(COLORS, person.chance) ?? '';
  const start = Math.floor(person.chance() * 100);
  const target = { fragment_idx: 0, selector: [{ type: 'TextPositionSelector', start, end: start + 30 }] };
  const outcome = await world.post(person, `/media/${page.id}/highlights`, { target, color, note: name });
  world.record(outcome, fact.highlight(name), color);
  if (outcome.kind === 'done') world.highlights.set(name, { name, id: outcome.answer.body.data.id, page });
}

async function recolor(world: World, person: Person): Promise<void> {
  const own = highlightOf(world, person);
  if (!own) return;
  const color = pick(COLORS, person.chance) ?? '';
  const outcome = await world.send(person, 'PATCH', `/highlights/${own.id}`, { color });
  world.record(outcome, fact.highlight(own.name), color);
  if (outcome.kind === 'unknown') await observeHighlight(world, person, own);
}

async function share(world: World, person: Person): Promise<void> {
  const own = highlightOf(world, person);
  if (!own) return;
  const fitting = [...world.libraries.values()].filter(
    ({ roles, pages }) => roles.has(person.name) && pages.has(own.page.name),
  );
  const libraries = fitting.filter(() => person.chance() < 0.5);
  const isPrivate = libraries.length === 0 || person.chance() < 0.2;
  const visibility = isPrivate ? 'private' : { library_ids: libraries.map(({ id }) => id) };
  const names = isPrivate ? undefined : libraries.map(({ name }) => name).join(',');
  const outcome = await world.send(person, 'PATCH', `/highlights/${own.id}`, { visibility });
  world.record(outcome, fact.visibility(own.name), names);
  if (outcome.kind === 'unknown') await observeHighlight(world, person, own);
}

async function deleteHighlight(world: World, person: Person): Promise<void> {
  const own = highlightOf(world, person);
  if (!own) return;
  const outcome = await world.send(person, 'DELETE', `/highlights/${own.id}`);
  world.record(outcome, fact.highlight(own.name), undefined);
  if (outcome.kind === 'done') world.highlights.delete(own.name);
  if (outcome.kind === 'unknown') await observeHighlight(world, person, own);
}

async function read(world: World, person: Person): Promise<void> {
  const library = pick(world.libraries.values(), person.chance);
  const page = anyPage(world, person);
  const own = highlightOf(world, person);
  if (library) await observeLibrary(world, person, library);
  if (library) await observeListing(world, person, library);
  if (page) await observePage(world, person, page);
  if (own) await observeHighlight(world, person, own);
}

function someTags(person: Person): string[] {
  return TAGS.filter(() => person.chance() < 0.5);
}

/** Chooses mostly among the pages that the person has saved. */
function anyPage(world: World, { pages, chance }: Person): Page | undefined {
  return world.pages.get(pick(chance() < 0.9 ? pages : world.pages.keys(), chance) ?? '');
}

/** Chooses mostly among the pages of a library. */
function pageIn(world: World, { chance }: Person, { pages }: Library): Page | undefined {
  return world.pages.get(pick(chance() < 0.9 ? pages : world.pages.keys(), chance) ?? '');
}

const anybody = (world: World, { chance }: Person) => pick(world.people, chance) as Person;

/** Chooses a library that the person is probably in, with this role, and now and then any other. */
function libraryOf(world: World, { name, chance }: Person, role?: string): Library | undefined {
  const mine = [...world.libraries.values()].filter(({ roles }) =>
    role ? roles.get(name) === role : roles.has(name),
  );
  return pick(chance() < 0.1 ? world.libraries.values() : mine, chance);
}

const highlightOf = (world: World, { name, chance }: Person): Highlight | undefined =>
  pick(
    [...world.highlights.values()].filter((one) => authorOf(one.name) === name),
    chance,
  );
