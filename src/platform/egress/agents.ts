import { Agent as PlainAgent } from 'node:http';
import { Agent as SecureAgent } from 'node:https';

/** Connections that are kept for the next request. */
export interface Agents {
  /** The agent for requests to exactly these addresses: a kept connection goes to one of them, so it was checked. */
  of(isSecure: boolean, addresses: string[]): PlainAgent;
}

/** Shorter than servers usually keep connections, so that few requests meet one that the server closes. */
const IDLE_MS = 4000;
const MOST_IDLE = 32;
/** Agents that were not used for longest are dropped beyond this. */
const MOST_AGENTS = 200;

export function createAgents(): Agents {
  const agents = new Map<string, PlainAgent>();
  return {
    of(isSecure, addresses) {
      const key = `${isSecure} ${addresses.length > 1 ? addresses.toSorted().join(' ') : addresses[0]}`;
      const Agent = isSecure ? SecureAgent : PlainAgent;
      const agent =
        agents.get(key) ?? new Agent({ keepAlive: true, maxFreeSockets: MOST_IDLE, timeout: IDLE_MS });
      // The last one used is the last one in the map.
      agents.delete(key);
      agents.set(key, agent);
      for (const [oldest, unused] of agents) {
        if (agents.size <= MOST_AGENTS) break;
        agents.delete(oldest);
        unused.destroy();
      }
      return agent;
    },
  };
}
