import { describe, expect, test } from 'vitest';
import type { Media, Tag } from '../api/types.ts';
import { cleanTag, tagProblem } from './tag-names.ts';
import { isListed, type TagNode, tagTree } from './tag-tree.ts';

const tag = (name: string): Tag => ({ id: name, name, media_count: 1, created_at: '2026-01-01T00:00:00Z' });
const NOTHING = { tags: [], is_favourite: false, is_archived: false, title: null, note: null };
const media = (mine: Partial<Media['mine']>) => ({ mine: { ...NOTHING, ...mine } });

describe('the names of tags', () => {
  test.each(['a//b', '/a', 'a/', 'a"b', 'a,b', 'a\tb', 'x'.repeat(65), ' / '])('%j is refused', (name) => {
    expect(tagProblem(name)).toBeDefined();
  });

  test.each(['a', 'a / b', '..', '2026', 'مقال', 'x'.repeat(64)])('%j is accepted', (name) => {
    expect(tagProblem(name)).toBeUndefined();
  });

  test('are cleaned as the server cleans them', () => {
    expect(cleanTag(' art /  old ')).toBe('art/old');
    expect(cleanTag('re\u0301ading')).toBe('réading');
  });
});

test('the tree has every level once, also those that are no tags themselves', () => {
  const drawn = (nodes: TagNode<Tag>[]): unknown[] =>
    nodes.map(({ label, tag: own, children }) => [label, own?.name, ...drawn(children)]);
  const names = ['b', 'Art/old/stone', 'art/new', 'b-side', 'b/c'];
  expect(drawn(tagTree(names.map(tag)))).toEqual([
    ['Art', undefined, ['new', 'art/new'], ['old', undefined, ['stone', 'Art/old/stone']]],
    ['b', 'b', ['c', 'b/c']],
    ['b-side', 'b-side'],
  ]);
});

test.each([
  [{ tags: ['Art/old'] }, { tag: 'art' }, true],
  [{ tags: ['artist'] }, { tag: 'art' }, false],
  [{ tags: ['art'] }, { tag: 'art/old' }, false],
  [{ is_archived: true }, { archived: false }, false],
  [{ is_archived: true }, {}, true],
  [{ is_favourite: false }, { favourite: true }, false],
])('an item with %o in a list of %o is listed: %s', (mine, params, expected) => {
  expect(isListed(media(mine), params)).toBe(expected);
});
