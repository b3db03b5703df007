/** What can stand in a statement: a value to be sent beside it, or a piece of SQL to be put into it. */
export type Parameter = unknown;

/** The rows of an answer, and how many rows the statement touched. */
export type Rows<R extends readonly object[]> = R & { count: number };

export interface Prepared {
  text: string;
  values: unknown[];
  /** Under a name, a connection parses and plans the statement once and reuses that. */
  name?: string;
}

export type Execute = (statement: Prepared) => Promise<Rows<object[]>>;

/**
 * A piece of SQL with its values. Awaiting it runs it; putting it into another one makes it part of that:
 *
 *     const mine = sql`owner_user_id = ${user.id}`;
 *     const rows = await sql<Library[]>`select * from libraries where ${mine}`;
 *
 * Values are never spliced into the text; they travel beside it.
 */
export class Statement<R extends readonly object[]> implements PromiseLike<Rows<R>> {
  readonly #strings: readonly string[];
  readonly #parameters: readonly Parameter[];
  readonly #execute: Execute | undefined;
  #name: string | undefined;
  #running: Promise<Rows<R>> | undefined;

  constructor(strings: readonly string[], parameters: readonly Parameter[], execute?: Execute) {
    this.#strings = strings;
    this.#parameters = parameters;
    this.#execute = execute;
  }

  // biome-ignore lint/suspicious/noThenProperty: a statement is run by awaiting it
  then<A = Rows<R>, B = never>(
    onFulfilled?: ((rows: Rows<R>) => A | PromiseLike<A>) | null,
    onRejected?: ((reason: unknown) => B | PromiseLike<B>) | null,
  ): Promise<A | B> {
    return this.#run().then(onFulfilled, onRejected);
  }

  /** For statements on a hot path, whose text never changes. */
  named(name: string): this {
    this.#name = name;
    return this;
  }

  prepare(): Prepared {
    const values: unknown[] = [];
    return { text: this.#write(values), values, ...(this.#name !== undefined && { name: this.#name }) };
  }

  #run(): Promise<Rows<R>> {
    if (!this.#execute) throw new Error('A piece of SQL is part of a statement; it cannot be run by itself.');
    this.#running ??= this.#execute(this.prepare()) as Promise<unknown> as Promise<Rows<R>>;
    return this.#running;
  }

  #write(values: unknown[]): string {
    let text = this.#strings[0] ?? '';
    this.#parameters.forEach((parameter, index) => {
      text += parameter instanceof Statement ? parameter.#write(values) : `$${place(parameter, values)}`;
      text += this.#strings[index + 1];
    });
    return text;
  }
}

/** A piece of SQL to be put into a statement, whatever its rows would be. */
export type SqlFragment = Statement<readonly object[]>;

/** An identifier that is not known when the code is written. */
export function identifier(name: string): SqlFragment {
  return new Statement([`"${name.replaceAll('"', '""')}"`], []);
}

/** Where a value stands among those that are sent. An array that is named twice, which may be long, is sent once. */
function place(value: unknown, values: unknown[]): number {
  const known = Array.isArray(value) ? values.indexOf(value) : -1;
  return known === -1 ? values.push(checked(value)) : known + 1;
}

/** `undefined` is a slip, not a value: what is meant to be absent is null. */
function checked(value: unknown): unknown {
  if (value === undefined) throw new Error('A statement was given undefined; use null for an absent value.');
  return value;
}
