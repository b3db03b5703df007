import { isIPv4, isIPv6 } from 'node:net';

/** Whether a host name or address, with or without brackets, always means this machine. */
export function isLoopbackHost(host: string): boolean {
  const name = host.toLowerCase().replace(/^\[(.*)\]$/, '$1');
  if (isIPv4(name)) return name.startsWith('127.');
  if (isIPv6(name)) return /^\[(::1|::ffff:7f[0-9a-f]{2}:[0-9a-f]{1,4})\]$/.test(canonical(name));
  return name === 'localhost' || name.endsWith('.localhost');
}

/** Returns an IPv6 address in the canonical form of URLs. */
function canonical(address: string): string {
  return URL.canParse(`http://[${address}]`) ? new URL(`http://[${address}]`).hostname : '';
}
