import { expect, test } from 'vitest';
import { parseAllowList } from './allow-list.ts';

test('a host is allowed only with its port, in any spelling', () => {
  const allow = parseAllowList(['Wiki.Example:443', '[0:0::1]:8080', '127.0.0.1:9000', 'bücher.example:80']);
  expect(allow.allowsHost('wiki.example', 443)).toBe(true);
  expect(allow.allowsHost('wiki.example', 80)).toBe(false);
  expect(allow.allowsHost('other.wiki.example', 443)).toBe(false);
  expect(allow.allowsHost('[::1]', 8080)).toBe(true);
  expect(allow.allowsHost('127.0.0.1', 9000)).toBe(true);
  expect(allow.allowsHost('xn--bcher-kva.example', 80)).toBe(true);
});

test('a network allows the addresses in it and no others', () => {
  const allow = parseAllowList(['10.1.0.0/16', 'fd00:1::/32', '192.168.7.7/32']);
  for (const inside of ['10.1.2.3', '::ffff:10.1.2.3', 'fd00:1::5', '192.168.7.7']) {
    expect(allow.allowsAddress(inside)).toBe(true);
  }
  for (const outside of ['10.2.0.1', 'fd00:2::5', '192.168.7.8', '127.0.0.1', '::1']) {
    expect(allow.allowsAddress(outside)).toBe(false);
  }
});

test.each([
  'wiki',
  '10.0.0.0/33',
  '::/129',
  '10.0.0.0',
  'a b:80',
  'http://wiki:80',
  'wiki:99999',
  '10.0.0/8',
  '*:80',
  '',
])('refuses %s', (entry) => {
  expect(() => parseAllowList([entry])).toThrow('is neither host:port nor a network');
});
