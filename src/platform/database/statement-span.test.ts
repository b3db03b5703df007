import { expect, test } from 'vitest';
import { summaryOf } from './statement-span.ts';

test.each([
  ['select 1', 'select'],
  ['commit', 'commit'],
  ['select * from media where id = $1', 'select media'],
  ['insert into jobs (id) values ($1)', 'insert jobs'],
  [
    'select * from media join users on users.id = $1 left join "api_keys" on true',
    'select media users api_keys',
  ],
  ['delete from trash using media where trash.id = media.id', 'delete trash select media'],
  ['update media set title = $1 from unnest($2::uuid[]) as wanted (id)', 'update media'],
  ['select extract(epoch from created_at) from jobs where a is distinct from b', 'select jobs'],
  ['select id from media where id = $1 for update of media skip locked', 'select media'],
  ['insert into a (x) select y from b on conflict do update set x = 1', 'insert a select b'],
  [
    'with c as materialized (delete from q returning *), d (x) as (select * from c) select * from d',
    'delete q',
  ],
  ["select 'from secrets' -- from comments\n from media /* from more */", 'select media'],
  ['select from media as a cross join lateral (select from users) as b', 'select media users'],
  ['', 'statement'],
])('%s is summarised as "%s"', (text, summary) => {
  expect(summaryOf(text)).toBe(summary);
});

test('a summary has at most 255 characters, and whole words', () => {
  const tables = Array.from({ length: 100 }, (_, index) => `table_${index}`);
  const summary = summaryOf(`select from ${tables.join(' cross join ')}`);
  expect(summary.length).toBeLessThanOrEqual(255);
  expect(['select', ...tables]).toEqual(expect.arrayContaining(summary.split(' ')));
});

test('a long hostile text takes no noticeable time', () => {
  const started = process.cpuUsage();
  summaryOf(
    `with ${'a, '.repeat(20_000)} ${'from '.repeat(20_000)} ${"'".repeat(20_001)} extract(${' '.repeat(20_000)}`,
  );
  expect(process.cpuUsage(started).user / 1000).toBeLessThan(1000);
});
