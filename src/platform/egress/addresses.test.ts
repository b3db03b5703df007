import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { refusalOf } from './addresses.ts';

describe('refuses', () => {
  test.each([
    ['0.0.0.0', 'an unspecified address'],
    ['0.1.2.3', 'an unspecified address'],
    ['10.0.0.1', 'a private address'],
    ['10.255.255.255', 'a private address'],
    ['100.64.0.1', 'a carrier-grade NAT address'],
    ['100.127.255.255', 'a carrier-grade NAT address'],
    ['100.100.100.200', 'a carrier-grade NAT address'],
    ['127.0.0.1', 'a loopback address'],
    ['127.255.255.254', 'a loopback address'],
    ['168.63.129.16', 'a cloud metadata address'],
    ['169.254.169.254', 'a cloud metadata address'],
    ['169.254.0.1', 'a link-local address'],
    ['172.16.0.1', 'a private address'],
    ['172.31.255.255', 'a private address'],
    ['192.0.0.8', 'a reserved address'],
    ['192.0.0.192', 'a cloud metadata address'],
    ['192.0.2.1', 'a reserved address'],
    ['192.88.99.1', 'a reserved address'],
    ['192.168.0.1', 'a private address'],
    ['198.18.0.1', 'a reserved address'],
    ['198.19.255.255', 'a reserved address'],
    ['198.51.100.7', 'a reserved address'],
    ['203.0.113.9', 'a reserved address'],
    ['224.0.0.1', 'a multicast address'],
    ['239.255.255.255', 'a multicast address'],
    ['240.0.0.1', 'a reserved address'],
    ['255.255.255.255', 'a reserved address'],
    ['::', 'an unspecified address'],
    ['::1', 'a loopback address'],
    ['0:0:0:0:0:0:0:1', 'a loopback address'],
    ['::127.0.0.1', 'a reserved address'],
    ['::8.8.8.8', 'a reserved address'],
    ['::ffff:127.0.0.1', 'a loopback address'],
    ['::ffff:7f00:1', 'a loopback address'],
    ['::FFFF:0A00:0001', 'a private address'],
    ['::ffff:0:10.0.0.1', 'a private address'],
    ['64:ff9b::127.0.0.1', 'a loopback address'],
    ['64:ff9b::a9fe:a9fe', 'a cloud metadata address'],
    ['64:ff9b:1::1', 'a reserved address'],
    ['100::1', 'a reserved address'],
    ['2001::1', 'a tunnel (6to4, Teredo)'],
    ['2001:0:4136:e378:8000:63bf:3fff:fdd2', 'a tunnel (6to4, Teredo)'],
    ['2001:10::1', 'a reserved address'],
    ['2001:20::1', 'a reserved address'],
    ['2001:db8::1', 'a reserved address'],
    ['2002:7f00:1::', 'a tunnel (6to4, Teredo)'],
    ['2002:c0a8:101::1', 'a tunnel (6to4, Teredo)'],
    ['3fff::1', 'a reserved address'],
    ['4000::1', 'a reserved address'],
    ['5f00::1', 'a reserved address'],
    ['fc00::1', 'a private address'],
    ['fd00:ec2::254', 'a private address'],
    ['fd20:ce::254', 'a private address'],
    ['fe80::1', 'a link-local address'],
    ['fe80::1%eth0', 'a link-local address'],
    ['febf::1', 'a link-local address'],
    ['fec0::1', 'a private address'],
    ['ff02::1', 'a multicast address'],
    ['ff0e::1', 'a multicast address'],
    ['localhost', 'not an IP address'],
    ['', 'not an IP address'],
  ])('%s: %s', (address, refusal) => {
    expect(refusalOf(address)).toBe(refusal);
  });
});

test.each([
  '1.1.1.1',
  '8.8.8.8',
  '9.255.255.255',
  '11.0.0.0',
  '100.63.255.255',
  '100.128.0.0',
  '126.255.255.255',
  '128.0.0.0',
  '172.15.255.255',
  '172.32.0.0',
  '192.167.255.255',
  '192.169.0.0',
  '223.255.255.255',
  '2606:4700:4700::1111',
  '2a00:1450:4001:81b::200e',
  '2001:4860:4860::8888',
  '::ffff:8.8.8.8',
  '64:ff9b::8.8.8.8',
])('allows %s', (address) => {
  expect(refusalOf(address)).toBeUndefined();
});

test('an IPv4 address gets the same result in every IPv6 form that leads to it', () => {
  const byte = fc.nat(255);
  fc.assert(
    fc.property(fc.tuple(byte, byte, byte, byte), ([a, b, c, d]) => {
      const dotted = `${a}.${b}.${c}.${d}`;
      const hex = `${((a << 8) | b).toString(16)}:${((c << 8) | d).toString(16)}`;
      for (const form of [
        `::ffff:${dotted}`,
        `::ffff:${hex}`,
        `0:0:0:0:0:FFFF:${hex}`,
        `64:ff9b::${dotted}`,
      ]) {
        expect(refusalOf(form)).toBe(refusalOf(dotted));
      }
      expect(refusalOf(`2002:${hex}::1`)).toBeDefined();
    }),
    { numRuns: 500 },
  );
});
