import { BlockList, isIP } from 'node:net';
import { parseUrl } from '../url.ts';

/** Exceptions from the refused addresses: `host:port` for one service, or a network in CIDR notation. */
interface AllowList {
  allowsHost(hostname: string, port: number): boolean;
  allowsAddress(address: string): boolean;
}

/** Checking an address takes longer than the rest of a small request, so the answers are cached. */
const MAX_CACHED = 1000;

/** Parses an allow list. Throws an error that names the first invalid entry. */
export function parseAllowList(entries: readonly string[]): AllowList {
  const hosts = new Set<string>();
  const networks = new BlockList();
  for (const entry of entries) {
    const network = parseNetwork(entry);
    const host = network ? undefined : parseHost(entry);
    if (network) networks.addSubnet(network.address, network.bits, network.family);
    else if (host) hosts.add(host);
    else throw new Error(`"${entry}" is neither host:port nor a network such as 10.0.0.0/8.`);
  }
  const known = new Map<string, boolean>();
  return {
    allowsHost: (hostname, port) => hosts.has(`${hostname}:${port}`),
    allowsAddress(address) {
      const cached = known.get(address);
      if (cached !== undefined) return cached;
      const isAllowed = networks.check(address, isIP(address) === 4 ? 'ipv4' : 'ipv6');
      if (known.size >= MAX_CACHED) known.clear();
      known.set(address, isAllowed);
      return isAllowed;
    },
  };
}

function parseNetwork(entry: string) {
  const [, address = '', length] = /^([0-9a-fA-F.:]+)\/(\d{1,3})$/.exec(entry) ?? [];
  const version = isIP(address);
  const bits = Number(length);
  if (version === 0 || bits > (version === 4 ? 32 : 128)) return undefined;
  return { address, bits, family: version === 4 ? ('ipv4' as const) : ('ipv6' as const) };
}

/** Returns the host in the canonical form of URLs, so that `[0::1]:80` and `WIKI:80` match. */
function parseHost(entry: string): string | undefined {
  const [, host = '', port] = /^([^\s/@?#:*]+|\[[0-9a-fA-F:.]+\]):(\d{1,5})$/.exec(entry) ?? [];
  const url = host && Number(port) <= 65535 ? parseUrl(`http://${host}`) : undefined;
  return url && `${url.hostname}:${Number(port)}`;
}
