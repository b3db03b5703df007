import { BlockList } from 'node:net';
import os from 'node:os';

/** The addresses of this machine, by interface. */
export type Interfaces = typeof os.networkInterfaces;

/**
 * Returns a noun phrase if a public address belongs to this machine or its network, otherwise undefined. Reads the
 * interfaces on every call, because they can change. Only IPv6 prefixes count as the network: a household or a server
 * room shares one, while the IPv4 neighbours of a public address belong to others.
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
