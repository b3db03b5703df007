import { isIPv4, isIPv6 } from 'node:net';

/** The eight groups of an IPv6 address. */
export function groupsOf(address: string): number[] {
  const { hostname } = new URL(`http://[${address}]`);
  const [head = '', tail] = hostname.slice(1, -1).split('::');
  const parse = (part: string) => (part ? part.split(':').map((group) => Number.parseInt(group, 16)) : []);
  const [before, after] = [parse(head), parse(tail ?? '')];
  return tail === undefined
    ? before
    : [...before, ...Array(8 - before.length - after.length).fill(0), ...after];
}

/** The IPv4 address in the last two groups of an IPv6 one. */
export function lastIPv4(groups: number[]): string {
  const [high = 0, low = 0] = groups.slice(6);
  return [high >> 8, high & 255, low >> 8, low & 255].join('.');
}

const MAPPED = '0,0,0,0,0,65535';

/**
 * The network that an address stands for where callers are counted. One household, or one attacker, has at least a whole
 * /64 of IPv6 addresses, so all of them are one; an IPv4 address is one, however it is spelled.
 */
export function networkOf(address: string): string {
  const [bare = ''] = address.split('%');
  if (isIPv4(bare) || !isIPv6(bare)) return bare.slice(0, 100);
  const groups = groupsOf(bare);
  if (groups.slice(0, 6).join() === MAPPED) return lastIPv4(groups);
  const prefix = groups.slice(0, 4).map((group) => group.toString(16));
  return `${prefix.join(':')}::/64`;
}
