import { BlockList, isIPv4, isIPv6 } from 'node:net';
import { groupsOf, lastIPv4 } from '../ip-address.ts';
import { type Interfaces, localRefusalOf } from './local-network.ts';

/**
 * IPv4 addresses that Nexus never connects to: IANA's special-purpose blocks, and the metadata services of clouds. One of
 * these has an address that looks public (168.63.129.16).
 */
const REFUSED_IPV4: [string, string[]][] = [
  ['an unspecified address', ['0.0.0.0/8']],
  ['a private address', ['10.0.0.0/8', '172.16.0.0/12', '192.168.0.0/16']],
  ['a carrier-grade NAT address', ['100.64.0.0/10']],
  ['a loopback address', ['127.0.0.0/8']],
  [
    'a cloud metadata address',
    ['168.63.129.16/32', '169.254.169.254/32', '100.100.100.200/32', '192.0.0.192/32'],
  ],
  ['a link-local address', ['169.254.0.0/16']],
  ['a multicast address', ['224.0.0.0/4']],
  [
    'a reserved address',
    [
      '192.0.0.0/24',
      '192.0.2.0/24',
      '192.31.196.0/24',
      '192.52.193.0/24',
      '192.88.99.0/24',
      '192.175.48.0/24',
      '198.18.0.0/15',
      '198.51.100.0/24',
      '203.0.113.0/24',
      '240.0.0.0/4',
    ],
  ],
];

/** Public addresses are only in 2000::/3. These are the exceptions within it, and everything outside. */
const REFUSED_IPV6: [string, string[]][] = [
  ['a loopback address', ['::1/128']],
  ['an unspecified address', ['::/128']],
  ['a private address', ['fc00::/7', 'fec0::/10']],
  ['a link-local address', ['fe80::/10']],
  ['a multicast address', ['ff00::/8']],
  ['a tunnel (6to4, Teredo)', ['2002::/16', '2001::/32']],
  [
    'a reserved address',
    ['2001::/23', '2001:db8::/32', '2620:4f:8000::/48', '3fff::/20', '::/3', '4000::/2', '8000::/1'],
  ],
];

/** Prefixes whose last 32 bits are an IPv4 address to which a gateway or the kernel connects. */
const EMBEDDING = ['::ffff:0:0/96', '64:ff9b::/96', '::ffff:0:0:0/96'];

const ipv4 = REFUSED_IPV4.map(([what, networks]) => ({ what, list: blockList(networks, 'ipv4') }));
const ipv6 = REFUSED_IPV6.map(([what, networks]) => ({ what, list: blockList(networks, 'ipv6') }));

/** Returns why Nexus must not connect to an IP address, as a noun phrase; undefined when it may. */
export function refusalOf(address: string, interfaces?: Interfaces): string | undefined {
  if (isIPv4(address)) {
    const refused = ipv4.find(({ list }) => list.check(address, 'ipv4'));
    return refused?.what ?? localRefusalOf(address, interfaces);
  }
  const [bare = ''] = address.split('%');
  if (!isIPv6(bare)) return 'not an IP address';
  const inner = embeddedIPv4(groupsOf(bare));
  if (inner) return refusalOf(inner, interfaces);
  // Mapped IPv4 addresses were handled above: BlockList would apply IPv4 rules to them.
  const refused = ipv6.find(({ list }) => list.check(bare, 'ipv6'));
  return refused?.what ?? localRefusalOf(bare, interfaces);
}

const EMBEDDING_GROUPS = EMBEDDING.map((network) =>
  groupsOf(network.split('/')[0] ?? '')
    .slice(0, 6)
    .join(),
);

function embeddedIPv4(groups: number[]): string | undefined {
  return EMBEDDING_GROUPS.includes(groups.slice(0, 6).join()) ? lastIPv4(groups) : undefined;
}

function blockList(networks: string[], family: 'ipv4' | 'ipv6'): BlockList {
  const list = new BlockList();
  for (const network of networks) {
    const [address = '', bits = ''] = network.split('/');
    list.addSubnet(address, Number(bits), family);
  }
  return list;
}
