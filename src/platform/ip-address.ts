import { isIPv4, isIPv6 } from 'node:net';
import { parseUrl } from './url.ts';

/** Returns the eight groups of an IPv6 address. */
export function groupsOf(address: string): number[] {
  const { hostname } = new URL(`http://[${address}]`);
  const [head = '', tail] = hostname.slice(1, -1).split('::');
  const parse = (part: string) => (part ? part.split(':').map((group) => Number.parseInt(group, 16)) : []);
  const [before, after] = [parse(head), parse(tail ?? '')];
  return tail === undefined
    ? before
    : [...before, ...Array(8 - before.length - after.length).fill(0), ...after];
}

/** Returns the IPv4 address in the last two groups of an IPv6 address. */
export function lastIPv4(groups: number[]): string {
  const [high = 0, low = 0] = groups.slice(6);
  return [high >> 8, high & 255, low >> 8, low & 255].join('.');
}

const MAPPED = '0,0,0,0,0,65535';

/**
 * Returns the network of an address, for rate limits. A household or an attacker has at least a /64 of IPv6 addresses, so
 * they count as one; an IPv4 address counts as itself, also in its IPv6-mapped form.
 */
export function networkOf(address: string): string {
  const [bare = ''] = address.split('%');
  if (isIPv4(bare) || !isIPv6(bare)) return bare.slice(0, 100);
  const groups = groupsOf(bare);
  if (groups.slice(0, 6).join() === MAPPED) return lastIPv4(groups);
  const prefix = groups.slice(0, 4).map((group) => group.toString(16));
  return `${prefix.join(':')}::/64`;
}

/** Whether a host name or address, with or without brackets, always means this machine. */
export function isLoopbackHost(host: string): boolean {
  const name = host.toLowerCase().replace(/^\[(.*)\]$/, '$1');
  if (isIPv4(name)) return name.startsWith('127.');
  if (isIPv6(name)) {
    // A URL writes an address in its one canonical form, and takes none with a scope, as in ::1%eth0.
    const { hostname = '' } = parseUrl(`http://[${name}]`) ?? {};
    return /^\[(::1|::ffff:7f[0-9a-f]{2}:[0-9a-f]{1,4})\]$/.test(hostname);
  }
  return name === 'localhost' || name.endsWith('.localhost');
}
