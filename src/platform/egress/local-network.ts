import { BlockList } from 'node:net';
import os from 'node:os';

/** The addresses of this machine, by interface. */
export type Interfaces = typeof os.networkInterfaces;

/**
 * Why an address that looks public belongs to this machine or its network, as a noun, or undefined when it does not. Asked
 * anew for every connection, because interfaces come and go. Neighbours are those of an IPv6 prefix, which one household or
 * one server room shares; IPv4 neighbours of a public address are strangers.
 */
export function localRefusalOf(
  address: string,
  interfaces: Interfaces = os.networkInterfaces,
): string | undefined {
  const own = new BlockList();
  const neighbours = new BlockList();
  for (const info of Object.values(interfaces()).flatMap((infos) => infos ?? [])) {
    const [bare = ''] = info.address.split('%');
    const family = info.family === 'IPv4' ? 'ipv4' : 'ipv6';
    own.addAddress(bare, family);
    if (family === 'ipv6' && info.cidr) neighbours.addSubnet(bare, Number(info.cidr.split('/')[1]), family);
  }
  const [bare = ''] = address.split('%');
  const family = bare.includes(':') ? 'ipv6' : 'ipv4';
  if (own.check(bare, family)) return 'an address of this machine';
  return neighbours.check(bare, family) ? 'an address in the network of this machine' : undefined;
}
