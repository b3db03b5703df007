import net from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import pg from 'pg';
import type { ConnectionTarget } from '../../../src/platform/database/database.ts';
import { connectionConfig } from '../../../src/platform/database/database.ts';

/**
 * A pooler that lends a server connection for one transaction at a time, as PgBouncer does in its transaction mode, and
 * as unkindly as it may: each transaction gets the connection that has rested longest, so that nothing left on one is
 * found again, and a client that asks for settings at the start is turned away.
 */
export interface TransactionPooler {
  port: number;
  /** How many transactions it has passed on. */
  transactions(): number;
  close(): Promise<void>;
}

const SSL_REQUEST = 80_877_103;
const CANCEL_REQUEST = 80_877_102;
const ALLOWED_AT_START = new Set(['user', 'database', 'application_name', 'client_encoding']);
const READY_FOR_QUERY = 0x5a;
const TERMINATE = 0x58;
const IDLE = 0x49;
const RECONNECT_MS = 100;

interface ServerConnection {
  client: pg.Client;
  socket: net.Socket;
}

export async function startTransactionPooler(
  target: ConnectionTarget,
  size: number,
): Promise<TransactionPooler> {
  const idle: ServerConnection[] = [];
  const waiting: ((server: ServerConnection) => void)[] = [];
  const clients = new Set<net.Socket>();
  let transactions = 0;

  const servers = new Set<ServerConnection>();
  let isClosed = false;
  await Promise.all(Array.from({ length: size }, open));

  async function borrow(): Promise<ServerConnection> {
    transactions += 1;
    return idle.shift() ?? new Promise((resolve) => waiting.push(resolve));
  }

  function giveBack(server: ServerConnection): void {
    const next = waiting.shift();
    if (next) next(server);
    else idle.push(server);
  }

  async function open(): Promise<void> {
    const server = await connectToServer(target);
    if (isClosed) server.socket.destroy();
    servers.add(server);
    server.socket.once('close', () => void replace(server));
    giveBack(server);
  }

  /**
   * Closes a connection whose client has left in the middle of a transaction, as PgBouncer does, and opens another as soon
   * as the server accepts one. The same if the server has closed it.
   */
  async function replace(server: ServerConnection): Promise<void> {
    if (!servers.delete(server)) return;
    if (idle.includes(server)) idle.splice(idle.indexOf(server), 1);
    server.socket.destroy();
    while (!isClosed) {
      const isOpen = await open().then(
        () => true,
        () => false, // The server does not accept connections.
      );
      if (isOpen) return;
      await pause(RECONNECT_MS);
    }
  }

  const listener = net.createServer((client) => {
    clients.add(client);
    client.on('close', () => clients.delete(client));
    client.on('error', () => undefined);
    serve(client, { borrow, giveBack, replace });
  });
  await new Promise<void>((resolve) => listener.listen(0, '127.0.0.1', resolve));

  return {
    port: (listener.address() as net.AddressInfo).port,
    transactions: () => transactions,
    async close() {
      isClosed = true;
      for (const client of clients) client.destroy();
      await new Promise((resolve) => listener.close(resolve));
      for (const { socket } of [...servers]) socket.destroy();
    },
  };
}

/** Signs in with the client library, and then takes over its socket. */
async function connectToServer(target: ConnectionTarget): Promise<ServerConnection> {
  const client = new pg.Client({ ...connectionConfig(target), application_name: 'pooler' });
  await client.connect();
  const { stream: socket } = (client as unknown as { connection: { stream: net.Socket } }).connection;
  socket.removeAllListeners();
  socket.on('error', () => undefined);
  socket.resume();
  return { client, socket };
}

interface Pool {
  borrow(): Promise<ServerConnection>;
  giveBack(server: ServerConnection): void;
  replace(server: ServerConnection): Promise<void>;
}

function serve(client: net.Socket, { borrow, giveBack, replace }: Pool): void {
  let isStarted = false;
  let server: ServerConnection | undefined;
  let borrowing = false;
  let toServer: Buffer[] = [];
  const fromClient = new MessageReader();
  const leave = () => client.destroy();

  client.on('data', (chunk) => {
    if (!isStarted) {
      isStarted = start(client, chunk);
      return;
    }
    for (const message of fromClient.read(chunk)) {
      if (message[0] === TERMINATE) client.end();
      else toServer.push(message);
    }
    void forward();
  });
  client.on('close', () => {
    if (server) void replace(server);
    server = undefined;
  });

  async function forward(): Promise<void> {
    if (toServer.length === 0 || borrowing) return;
    if (!server) {
      borrowing = true;
      const borrowed = await borrow();
      borrowing = false;
      if (client.destroyed) {
        giveBack(borrowed);
        return;
      }
      server = borrowed;
      listen(server);
      // A client whose connection breaks in a transaction is sent away, as PgBouncer does.
      borrowed.socket.once('close', leave);
    }
    server.socket.write(Buffer.concat(toServer));
    toServer = [];
  }

  /** Returns the connection to the pool when the server reports that no transaction is open. */
  function listen(lent: ServerConnection): void {
    const fromServer = new MessageReader();
    lent.socket.on('data', (chunk) => {
      for (const message of fromServer.read(chunk)) {
        client.write(message);
        if (message[0] === READY_FOR_QUERY && message[5] === IDLE) {
          lent.socket.removeAllListeners('data').off('close', leave);
          server = undefined;
          giveBack(lent);
          void forward();
        }
      }
    });
  }
}

/** Answers a client's startup message. Returns whether the client is connected. */
function start(client: net.Socket, chunk: Buffer): boolean {
  const code = chunk.readInt32BE(4);
  if (code === SSL_REQUEST) {
    client.write('N');
    return false;
  }
  if (code === CANCEL_REQUEST) {
    client.end();
    return false;
  }
  const words = chunk.subarray(8).toString().split('\0').filter(Boolean);
  const refused = words.filter((_word, index) => index % 2 === 0).find((name) => !ALLOWED_AT_START.has(name));
  if (refused) {
    client.end(message('E', `SFATAL\0C08P01\0Munsupported startup parameter: ${refused}\0\0`));
    return false;
  }
  client.write(
    Buffer.concat([
      message('R', Buffer.from([0, 0, 0, 0])),
      message('S', 'server_version\x0018.0\0'),
      message('S', 'client_encoding\0UTF8\0'),
      message('K', Buffer.alloc(8)),
      message('Z', 'I'),
    ]),
  );
  return true;
}

function message(type: string, body: string | Buffer): Buffer {
  const bytes = Buffer.from(body);
  const length = Buffer.alloc(4);
  length.writeInt32BE(bytes.length + 4);
  return Buffer.concat([Buffer.from(type), length, bytes]);
}

/** Splits a stream into messages of the protocol: a letter, a length that includes itself, a body. */
class MessageReader {
  #rest = Buffer.alloc(0);

  read(chunk: Buffer): Buffer[] {
    this.#rest = Buffer.concat([this.#rest, chunk]);
    const messages: Buffer[] = [];
    while (this.#rest.length >= 5) {
      const end = this.#rest.readInt32BE(1) + 1;
      if (this.#rest.length < end) break;
      messages.push(this.#rest.subarray(0, end));
      this.#rest = this.#rest.subarray(end);
    }
    return messages;
  }
}
