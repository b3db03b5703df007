/** An operation on libraries. Libraries, media and people are named by their numbers. */
export type Operation =
  | { kind: 'create'; actor: number }
  | { kind: 'delete'; actor: number; library: number }
  | { kind: 'add' | 'remove'; actor: number; library: number; media: number }
  | { kind: 'save'; actor: number; media: number }
  | { kind: 'unsave'; actor: number; media: number }
  | { kind: 'join'; actor: number; library: number; user: number; role: Role }
  | { kind: 'expel'; actor: number; library: number; user: number }
  | { kind: 'change role'; actor: number; library: number; user: number; role: Role }
  | { kind: 'transfer'; actor: number; library: number; user: number };

type Role = 'admin' | 'contributor' | 'member';

export interface Library {
  owner: number;
  members: Map<number, Role>;
  /** Who added each media. */
  media: Map<number, number>;
}

/** The rules of libraries in their simplest form. Each person has saved the media with their own number. */
export class Model {
  /** A library that was deleted leaves its number empty. */
  readonly libraries: (Library | undefined)[] = [];
  readonly saved: Set<number>[];
  readonly #deletions = new Set<string>();

  constructor(people: number) {
    this.saved = Array.from({ length: people }, (_, person) => new Set([person]));
  }

  canRead(person: number, media: number): boolean {
    return (
      this.saved[person]?.has(media) ||
      this.libraries.some((library) => library?.members.has(person) && library.media.has(media))
    );
  }

  /**
   * Applies the operation if the rules allow it. Returns whether it succeeds: if they do, and also when a person deletes
   * again what they have deleted before and what is not there for them any more.
   */
  apply(operation: Operation): boolean {
    const deletion = JSON.stringify(operation);
    if (!this.#applyOnce(operation)) return this.#deletions.has(deletion) && this.#isGone(operation);
    if (['delete', 'remove', 'unsave'].includes(operation.kind)) this.#deletions.add(deletion);
    return true;
  }

  /** Whether what an operation deletes is not there for its actor, after the rules did not allow it. */
  #isGone(operation: Operation): boolean {
    if (!('library' in operation)) return true;
    const library = this.libraries[operation.library];
    const role = library?.members.get(operation.actor);
    if (role === undefined) return true;
    return operation.kind === 'remove' && role !== 'member' && !library?.media.has(operation.media);
  }

  #applyOnce(operation: Operation): boolean {
    const { actor } = operation;
    if (operation.kind === 'create') {
      this.libraries.push({ owner: actor, members: new Map([[actor, 'admin']]), media: new Map() });
      return true;
    }
    if (operation.kind === 'save' || operation.kind === 'unsave') {
      if (!this.canRead(actor, operation.media)) return false;
      if (operation.kind === 'save') this.saved[actor]?.add(operation.media);
      else this.saved[actor]?.delete(operation.media);
      return true;
    }
    const library = this.libraries[operation.library];
    const role = library?.members.get(actor);
    const isAdmin = role === 'admin';
    if (!library?.members.has(actor)) return false;
    switch (operation.kind) {
      case 'delete':
        if (library.owner !== actor) return false;
        this.libraries[operation.library] = undefined;
        return true;
      case 'add':
        if (role === 'member' || !this.canRead(actor, operation.media)) return false;
        if (!library.media.has(operation.media)) library.media.set(operation.media, actor);
        return true;
      case 'remove':
        if (!isAdmin && (role !== 'contributor' || library.media.get(operation.media) !== actor))
          return false;
        return library.media.delete(operation.media);
      case 'join':
        if (!isAdmin || library.members.has(operation.user)) return false;
        library.members.set(operation.user, operation.role);
        return true;
      case 'expel':
        if (!isAdmin && operation.user !== actor) return false;
        if (operation.user === library.owner) return false;
        library.members.delete(operation.user);
        return true;
      case 'change role':
        if (!isAdmin || !library.members.has(operation.user) || operation.user === library.owner)
          return false;
        library.members.set(operation.user, operation.role);
        return true;
      case 'transfer':
        if (isAdmin && operation.user === library.owner) return true;
        if (library.owner !== actor || !library.members.has(operation.user)) return false;
        library.members.set(operation.user, 'admin');
        library.owner = operation.user;
        return true;
    }
  }
}
