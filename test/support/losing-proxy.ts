import { once } from 'node:events';
import net from 'node:net';

/**
 * A proxy of PostgreSQL that can lose answers. It forwards all bytes. After `cut`, the answer to the next message that
 * contains the text is lost, on a connection that has carried `after`.
 */
export async function openLosingProxy(target: { host: string; port: number }) {
  let marker: string | undefined;
  let after = '';
  let cuts = 0;
  const server = net.createServer((client) => {
    const upstream = net.connect(`${target.host}/.s.PGSQL.${target.port}`);
    let isCut = false;
    let isMeant = false;
    client.on('data', (message) => {
      isMeant ||= marker !== undefined && message.includes(after);
      if (isMeant && marker && message.includes(marker)) {
        marker = undefined;
        isCut = true;
      }
      upstream.write(message);
    });
    upstream.on('data', (answer) => {
      if (!isCut) return client.write(answer);
      cuts += 1;
      upstream.destroy();
      return client.destroy();
    });
    for (const [one, other] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      one.on('error', () => other.destroy());
      one.on('close', () => other.destroy());
    }
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    port: (server.address() as net.AddressInfo).port,
    cut(text: string, afterText = '') {
      marker = text;
      after = afterText;
    },
    cuts: () => cuts,
    close: () => server.close(),
  };
}
