// Compares lists, counts and searches of people who keep a million tags and highlights with the same ones of people who may
// read the same media and keep nothing. `same` are equal lists of both; `kept` are lists that only the first have, compared
// with a filter that selects the same media by kind or site, or with somebody who keeps a few hundred.
import { createHighlights } from '../../src/features/highlights/highlights.ts';
import { createTags } from '../../src/features/media/mine/tags.ts';
import { createSavedSearches } from '../../src/features/media/search/saved/saved-searches.ts';

const PAGE = { sort: 'added', limit: 100 };

/** Lists of both people of a pair. Home leaves archived media out. */
const SAME = {
  home: { archived: false },
  'everything, by added': {},
  'everything, by title': { sort: 'title' },
  'of one kind': { kind: 'pdf' },
  'of a rare site': { kind: 'web_article', site: 's50.example' },
  finished: { reading: 'finished' },
  unread: { reading: 'unread' },
  'query kind:epub length:<3': { q: 'kind:epub length:<3' },
  'query w15000': { q: 'w15000 ' },
  'query w15000 or w14000 kind:pdf': { q: 'w15000 or w14000 kind:pdf' },
};
const WORDS = ['w1 ', 'w100 ', 'w15000 ', 'w1 w15'];

/** A list of what a person keeps, and the filter with which the other one of the pair lists the same media. */
const KEPT = {
  'a tag': [{ tag: 'same/pdf' }, { kind: 'pdf' }],
  'a rare tag': [{ tag: 'site/rare' }, { kind: 'web_article', site: 's50.example' }],
  'a tag, by title': [
    { tag: 'same/pdf', sort: 'title' },
    { kind: 'pdf', sort: 'title' },
  ],
  'a tag and those below it': [{ tag: 'same' }, { q: 'kind:pdf or kind:epub' }],
  favourites: [{ favourite: true }, { kind: 'video' }],
  'query tag:': [{ q: 'tag:same/pdf' }, { q: 'kind:pdf' }],
  'query tag: or tag:': [{ q: 'tag:site/rare or tag:same/epub' }, { q: 'site:s50.example or kind:epub' }],
  'query is:favourite': [{ q: 'is:favourite' }, { q: 'kind:video' }],
  'query tag: or a rare word': [{ q: 'tag:site/rare or w15000' }, { q: 'site:s50.example or w15000' }],
};

/** Pages of highlights, of somebody with hundreds of thousands and of somebody with a few hundred. */
const HIGHLIGHTS = {
  all: {},
  own: { by: 'me' },
  'of one colour': { color: 'pink' },
  'with a note': { has: 'note' },
  unplaced: { is: 'unplaced' },
  unread: { is: 'unread' },
  'of a rare word': { q: 'w15000' },
  'of a frequent word': { q: 'w1' },
};

/**
 * Measures pairs of functions, each in turn, so that a busy machine slows down both, and returns the best run of each with
 * their ratio.
 */
export async function compareAll({ sql, lists, search, world, modest, pair }) {
  const { collector, plain_collector, member, plain_member, large } = world;
  const tags = createTags({ sql });
  const savedSearches = createSavedSearches({ sql, mediaLists: lists });
  const highlights = createHighlights({ sql });
  const results = {};
  const compare = async (name, one, other) => {
    results[name] = await pair(one, other);
  };
  const list = (viewer, query) => () => lists.list(viewer, { ...PAGE, ...query });
  for (const [who, rich, plain] of [
    ['saved', collector, plain_collector],
    ['shared', member, plain_member],
  ]) {
    for (const [name, query] of Object.entries(SAME))
      await compare(`${who}: ${name}`, list(rich, query), list(plain, query));
    for (const q of WORDS) {
      const find = (viewer) => () => search.find(viewer, { q, limit: 20 });
      await compare(`${who}: search "${q}"`, find(rich), find(plain));
    }
    const sites = (viewer) => () => lists.sites(viewer);
    await compare(`${who}: sites`, sites(rich), sites(plain));
    for (const [name, [kept, otherwise]] of Object.entries(KEPT))
      await compare(`${who}: ${name}`, list(rich, kept), list(plain, otherwise));
    const count = (viewer, q) => () => lists.count(viewer, q, 1001);
    await compare(`${who}: count of tag:`, count(rich, 'tag:same/pdf'), count(plain, 'kind:pdf'));
    await compare(
      `${who}: count of is:favourite -is:finished`,
      count(rich, 'is:favourite -is:finished'),
      count(plain, 'kind:video -is:finished'),
    );
    await compare(
      `${who}: counts of tags, against sites`,
      () => tags.tree(rich, { limit: 200 }),
      sites(plain),
    );
    const saved = (viewer) => () => savedSearches.list(viewer, { limit: 200, counts: true });
    await saveSearches(sql, rich, ['tag:same/pdf', 'tag:site/rare or w15000', 'is:favourite', 'added:<7d']);
    await saveSearches(sql, plain, ['kind:pdf', 'site:s50.example or w15000', 'kind:video', 'added:<7d']);
    await compare(`${who}: counts of four saved searches`, saved(rich), saved(plain));
  }
  const ofLibrary = (viewer) => list(viewer, { library_id: large });
  await compare('a shared library', ofLibrary(member), ofLibrary(plain_member));
  for (const [name, query] of Object.entries(HIGHLIGHTS)) {
    const page = (viewer) => () => highlights.list(viewer, { limit: 50, ...query });
    await compare(`highlights ${name}`, page(collector), page(modest));
  }
  const own = (query) => () => highlights.list(collector, { limit: 50, ...query });
  await compare('highlights with a rare tag, against all', own({ tag: 'site/rare' }), own({}));
  const ofLarge = (viewer) => () => highlights.list(viewer, { limit: 50, library_id: large });
  await compare('highlights of a library, author against reader', ofLarge(member), ofLarge(plain_member));
  const ofMedia = async (viewer) => {
    const [{ media_id }] =
      await sql`select media_id from highlights where user_id = ${viewer.user_id} limit 1`;
    return () => highlights.ofMedia(viewer, media_id, { limit: 200 });
  };
  await compare('highlights of one media', await ofMedia(collector), await ofMedia(modest));
  return results;
}

async function saveSearches(sql, { user_id }, queries) {
  await sql`
    insert into saved_searches (id, user_id, name, query)
    select gen_random_uuid(), ${user_id}, query, query from unnest(${queries}::text[]) as query`;
}
