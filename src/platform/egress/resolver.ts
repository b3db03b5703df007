import { lookup } from 'node:dns/promises';

/** Every IP address of a host name, best first. Throws Node's own errors. */
export type Resolver = (hostname: string) => Promise<string[]>;

/** As the machine resolves names, `/etc/hosts` included. */
export const systemResolver: Resolver = async (hostname) =>
  (await lookup(hostname, { all: true })).map(({ address }) => address);
