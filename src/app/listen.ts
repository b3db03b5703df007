import type { HttpServer } from '../http/http-server.ts';

/** Listens, and explains an address that cannot be used. `variable` is the one that sets the port. */
export async function listen(
  server: HttpServer,
  { host, port, variable }: { host: string; port: number; variable: string },
): Promise<string> {
  try {
    return await server.listen({ host, port });
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'EADDRINUSE') {
      throw new Error(`Port ${port} on ${host} is taken. Stop what uses it, or set ${variable} to another.`);
    }
    if (code === 'EACCES') {
      throw new Error(`Port ${port} may not be used by this account. Set ${variable} to one above 1023.`);
    }
    if (code === 'EADDRNOTAVAIL' || code === 'ENOTFOUND') {
      throw new Error(`NEXUS_HOST is ${host}, which is no address of this machine.`);
    }
    throw error;
  }
}
