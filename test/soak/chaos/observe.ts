import { fact } from './facts.ts';
import type { Highlight, Invitation, Library, Page, Person, World } from './world.ts';

/** Reads a library as a person sees it: whether they are a member, with which role, and who owns it. */
export async function observeLibrary(world: World, person: Person, library: Library): Promise<void> {
  const outcome = await world.get(person, `/libraries/${library.id}`);
  if (!outcome) return;
  const { role, owner_user_id } = outcome.answer.body.data ?? {};
  world.history.read(fact.member(library.name, person.name), role, outcome);
  if (role) library.roles.set(person.name, role);
  else library.roles.delete(person.name);
  const owner = world.people.find(({ id }) => id === owner_user_id);
  if (owner) world.history.read(fact.owner(library.name), owner.name, outcome);
}

/** Reads which pages a library lists, and its tags of them. */
export async function observeListing(world: World, person: Person, library: Library): Promise<void> {
  const outcome = await world.get(person, `/libraries/${library.id}/media?limit=200`);
  if (!outcome) return;
  const { history } = world;
  if (outcome.kind === 'refused')
    return history.read(fact.member(library.name, person.name), undefined, outcome);
  const { data, page } = outcome.answer.body;
  const tagsOf = new Map<string, string[]>(
    data.map(({ id, library_tags }: { id: string; library_tags: string[] }) => [id, library_tags]),
  );
  for (const { name, id } of world.pages.values()) {
    const tags = tagsOf.get(id);
    if (!tags && page.has_more) continue;
    history.read(fact.listed(library.name, name), tags && 'yes', outcome);
    if (tags) library.pages.add(name);
    else library.pages.delete(name);
    history.read(fact.libraryTags(library.name, name), tags?.join(',') || undefined, outcome);
  }
}

/** Reads whether a person has saved a page, which of their libraries list it, and their tags of it. */
export async function observePage(world: World, person: Person, page: Page): Promise<void> {
  const origin = await world.get(person, `/media/${page.id}/provenance`);
  if (!origin) return;
  const { saved_at = null, libraries = [] } = origin.answer.body.data ?? {};
  world.history.read(fact.saved(person.name, page.name), saved_at === null ? undefined : 'yes', origin);
  for (const { name } of libraries)
    if (world.libraries.has(name)) world.history.read(fact.listed(name, page.name), 'yes', origin);
  const mine = await world.get(person, `/media/${page.id}/mine`);
  if (mine?.kind !== 'done') return;
  const { tags } = mine.answer.body.data;
  world.history.read(fact.tags(person.name, page.name), tags.join(',') || undefined, mine);
}

/** Reads a highlight as its author. Shares with libraries that do not list the page now are not shown. */
export async function observeHighlight(world: World, author: Person, highlight: Highlight): Promise<void> {
  const outcome = await world.get(author, `/highlights/${highlight.id}`);
  if (!outcome) return;
  const { color, visibility } = outcome.answer.body.data ?? {};
  world.history.read(fact.highlight(highlight.name), color, outcome);
  if (!color) world.highlights.delete(highlight.name);
  for (const { name, id } of world.libraries.values())
    if (visibility?.library_ids?.includes(id))
      world.history.read(fact.shared(highlight.name, name), 'yes', outcome);
}

export async function observeInvitation(
  world: World,
  { id, library, inviter, invitee }: Invitation,
): Promise<void> {
  const outcome = await world.get(invitee, `/libraries/invites/${id}`);
  if (!outcome) return;
  const status = outcome.answer.body.data?.status;
  world.history.read(fact.invitation(id, library.name, inviter.name), status, outcome);
}
