import type { Principal } from '../../contract/identity.ts';

/** The name of something that audit entries refer to by its id. */
export interface Named {
  id: string;
  name: string;
}

/** Returns the names of those of the ids that it knows, and that the viewer may see. */
export type NameSource = (viewer: Principal, ids: string[]) => Promise<Named[]>;
