import type { Database } from '../../../src/platform/database/database.ts';
import type { Cause, Fact, Value } from './history.ts';
import { History } from './history.ts';

/**
 * The facts that people change. Libraries, pages, people and highlights have names that the test gives them, so that a
 * request whose answer is lost can be found again.
 */
export const fact = {
  library: (library: string): Fact => ['library', library],
  owner: (library: string): Fact => ['owner', library],
  member: (library: string, person: string): Fact => ['member', library, person],
  listed: (library: string, page: string): Fact => ['listed', library, page],
  libraryTags: (library: string, page: string): Fact => ['library-tags', library, page],
  saved: (person: string, page: string): Fact => ['saved', person, page],
  tags: (person: string, page: string): Fact => ['tags', person, page],
  highlight: (highlight: string): Fact => ['highlight', highlight],
  /** The libraries that a highlight was last shared with, as its author asked. */
  visibility: (highlight: string): Fact => ['visibility', highlight],
  shared: (highlight: string, library: string): Fact => ['shared', highlight, library],
  invitation: (id: string, library: string, inviter: string): Fact => ['invitation', id, library, inviter],
};

/** The name of a highlight begins with its author. */
export const authorOf = (highlight: string) => highlight.split('/')[0] ?? '';

/** A fact ends when another one does. */
const endsWith = (of: Fact): Cause => ({
  of,
  effect: (value) => (value === undefined ? { value: undefined } : undefined),
});

function causes([kind, first = '', second = '', third = '']: Fact): Cause[] {
  switch (kind) {
    case 'owner':
    case 'member':
    case 'listed':
      return [endsWith(fact.library(first))];
    case 'library-tags':
      return [endsWith(fact.listed(first, second))];
    case 'shared':
      return [
        endsWith(fact.highlight(first)),
        endsWith(fact.member(second, authorOf(first))),
        {
          of: fact.visibility(first),
          effect: (libraries) => ({ value: libraries?.split(',').includes(second) ? 'yes' : undefined }),
        },
      ];
    case 'invitation':
      return [
        endsWith(fact.library(second)),
        // Only an invitation that is still pending is revoked.
        {
          of: fact.member(second, third),
          effect: (role) => (role === 'admin' ? undefined : { value: 'revoked', isOptional: true }),
        },
      ];
    default:
      return [];
  }
}

export const startHistory = () => new History(causes);

/** The facts in the tables, by id. Nothing in them is derived from other facts. */
export interface Facts {
  members: Map<string, Map<string, string>>;
  owners: Map<string, string>;
  /** The media of shared libraries. */
  listed: Map<string, Set<string>>;
  /** The media that each person has saved. */
  saved: Map<string, Set<string>>;
  highlights: { id: string; user_id: string; media_id: string; color: string; note: string }[];
  shares: Map<string, Set<string>>;
}

export async function readFacts(sql: Database): Promise<Facts> {
  const libraries = await sql<{ id: string; owner_user_id: string }[]>`
    select id, owner_user_id from libraries where not is_default`;
  const members = await sql<{ library_id: string; user_id: string; role: string }[]>`
    select library_id, user_id, role from memberships join libraries on libraries.id = library_id where not is_default`;
  const listed = await sql<{ library_id: string; media_id: string }[]>`
    select library_id, media_id from library_media join libraries on libraries.id = library_id where not is_default`;
  const saved = await sql<{ user_id: string; media_id: string }[]>`
    select libraries.owner_user_id as user_id, media_id
    from default_library_intrinsics
    join libraries on libraries.id = default_library_id`;
  const highlights = await sql<Facts['highlights']>`
    select id, user_id, media_id, color, note from highlights`;
  const shares = await sql<{ highlight_id: string; library_id: string }[]>`
    select highlight_id, library_id from highlight_shares`;
  const facts: Facts = {
    owners: new Map(libraries.map(({ id, owner_user_id }) => [id, owner_user_id])),
    members: new Map(libraries.map(({ id }) => [id, new Map()])),
    listed: new Map(libraries.map(({ id }) => [id, new Set()])),
    saved: new Map(),
    highlights: [...highlights],
    shares: new Map(highlights.map(({ id }) => [id, new Set()])),
  };
  for (const { library_id, user_id, role } of members) facts.members.get(library_id)?.set(user_id, role);
  for (const { library_id, media_id } of listed) facts.listed.get(library_id)?.add(media_id);
  for (const { user_id, media_id } of saved)
    facts.saved.set(user_id, (facts.saved.get(user_id) ?? new Set()).add(media_id));
  for (const { highlight_id, library_id } of shares) facts.shares.get(highlight_id)?.add(library_id);
  return facts;
}

/** The media that a person may read, by the rules in their simplest form. */
export function readableBy(facts: Facts, userId: string): Set<string> {
  const readable = new Set(facts.saved.get(userId));
  for (const [library, members] of facts.members)
    if (members.has(userId)) for (const media of facts.listed.get(library) ?? []) readable.add(media);
  return readable;
}

/** The highlights that a person sees: their own, and those shared with a library of theirs that lists the media. */
export function highlightsSeenBy(facts: Facts, userId: string): Set<string> {
  const seen = facts.highlights.filter(({ id, user_id, media_id }) => {
    const isShown = (library: string) =>
      facts.members.get(library)?.has(userId) && facts.listed.get(library)?.has(media_id);
    return user_id === userId || [...(facts.shares.get(id) ?? [])].some(isShown);
  });
  return new Set(seen.map(({ id }) => id));
}

/** Reads all facts by their names. A fact that is not in the map is absent. */
export async function readNamedFacts(sql: Database): Promise<Map<string, Value>> {
  const page = sql`substring(media.canonical_url from '/([^/]+)$')`;
  const rows = await sql<{ fact: string[]; value: string }[]>`
    select array['library', name] as fact, 'there' as value from libraries where not is_default
    union all
    select array['owner', libraries.name], users.username
    from libraries join users on users.id = owner_user_id
    where not is_default
    union all
    select array['member', libraries.name, users.username], memberships.role
    from memberships join libraries on libraries.id = library_id join users on users.id = user_id
    where not is_default
    union all
    select array['listed', libraries.name, ${page}], 'yes'
    from library_media join libraries on libraries.id = library_id join media on media.id = media_id
    where not is_default
    union all
    select array['library-tags', libraries.name, ${page}], string_agg(tag.name, ',' order by tag.name)
    from library_media_tags as tag join libraries on libraries.id = library_id join media on media.id = media_id
    group by 1
    union all
    select array['saved', users.username, ${page}], 'yes'
    from default_library_intrinsics
    join libraries on libraries.id = default_library_id
    join users on users.id = libraries.owner_user_id
    join media on media.id = media_id
    union all
    select array['tags', users.username, ${page}], string_agg(tags.name, ',' order by tags.name)
    from media_tags join tags on tags.id = tag_id join users on users.id = tags.user_id join media on media.id = media_id
    group by 1
    union all
    select array['highlight', note], color from highlights
    union all
    select array['shared', highlights.note, libraries.name], 'yes'
    from highlight_shares join highlights on highlights.id = highlight_id join libraries on libraries.id = library_id
    union all
    select array['invitation', library_invitations.id::text, libraries.name, users.username], status
    from library_invitations join libraries on libraries.id = library_id join users on users.id = inviter_user_id`;
  return new Map(rows.map(({ fact: names, value }) => [names.join(' '), value]));
}
