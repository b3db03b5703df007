import { lookup } from 'node:dns/promises';

/** Returns all IP addresses of a host name, in order of preference. Throws the errors of Node.js. */
export type Resolver = (hostname: string) => Promise<string[]>;

/** Resolves names like the operating system, including `/etc/hosts`. */
export const systemResolver: Resolver = async (hostname) =>
  (await lookup(hostname, { all: true })).map(({ address }) => address);
