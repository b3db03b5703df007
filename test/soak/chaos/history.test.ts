import { beforeEach, expect, test } from 'vitest';
import { History } from './history.ts';

const TAGS = ['tags', 'ana', 'page-1'];
const LIBRARY = ['library', 'shared'];
const MEMBER = ['member', 'shared', 'ana'];
const span = (from: number, to: number) => ({ from, to });

let history: History;
beforeEach(() => {
  history = new History(([kind, library = '']) =>
    kind === 'member'
      ? [{ of: ['library', library], effect: (value) => (value ? undefined : { value: undefined }) }]
      : [],
  );
});

test('an acknowledged write that is missing, or comes back, is a violation', () => {
  history.wrote(TAGS, 'oceans', span(1, 2));
  history.read(TAGS, undefined, span(3, 4));
  expect(history.violations()).toHaveLength(1);
});

test('a value that was replaced before the read is a violation', () => {
  history.wrote(TAGS, 'oceans', span(1, 2));
  history.wrote(TAGS, 'tides', span(3, 4));
  history.read(TAGS, 'oceans', span(5, 6));
  expect(history.violations()).toEqual([expect.stringContaining('5–6 read oceans')]);
});

test('a value that another reader has seen replaced is a violation', () => {
  history.wrote(TAGS, 'oceans', span(1, 2));
  history.mayHaveWritten(TAGS, 'tides', span(3, 3));
  history.read(TAGS, 'tides', span(4, 5));
  history.read(TAGS, 'oceans', span(6, 7));
  expect(history.violations()).toHaveLength(1);
});

test('a value that nobody wrote is a violation', () => {
  history.read(TAGS, 'oceans', span(1, 2));
  expect(history.violations()).toHaveLength(1);
});

test('parallel writes may take effect in either order, and parallel reads may see either', () => {
  history.wrote(TAGS, 'oceans', span(1, 10));
  history.wrote(TAGS, 'tides', span(2, 9));
  history.read(TAGS, undefined, span(1, 3));
  history.read(TAGS, 'oceans', span(11, 12));
  expect(history.violations()).toEqual([]);
});

test('a write without an answer may take effect late, or never', () => {
  history.wrote(TAGS, 'oceans', span(1, 2));
  history.mayHaveWritten(TAGS, 'tides', span(3, 4));
  history.wrote(TAGS, 'oceans', span(5, 6));
  history.read(TAGS, 'oceans', span(7, 8));
  history.read(TAGS, 'tides', span(9, 10));
  expect(history.violations()).toEqual([]);
});

test('a cause decides the facts that depend on it', () => {
  history.wrote(LIBRARY, 'there', span(1, 2));
  history.wrote(MEMBER, 'admin', span(3, 4));
  history.wrote(LIBRARY, undefined, span(5, 6));
  history.read(MEMBER, undefined, span(7, 8));
  expect(history.violations()).toEqual([]);
  history.read(MEMBER, 'admin', span(9, 10));
  expect(history.violations()).toHaveLength(1);
});
