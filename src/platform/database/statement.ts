/** A parameter of a statement: a value, which is sent separately, or a fragment of SQL, which becomes part of the text. */
export type Parameter = unknown;

/** The rows of a result, and the number of affected rows. */
export type Rows<R extends readonly object[]> = R & { count: number };

export interface Prepared {
  text: string;
  values: unknown[];
}

export type Execute = (statement: Prepared) => Promise<Rows<object[]>>;

/**
 * A statement or a fragment of SQL, with its values. Awaiting it runs it; as a parameter it becomes part of another one:
 *
 *     const mine = sql`owner_user_id = ${user.id}`;
 *     const rows = await sql<Library[]>`select * from libraries where ${mine}`;
 *
 * Values are never part of the text; they are sent separately.
 */
export class Statement<R extends readonly object[]> implements PromiseLike<Rows<R>> {
  readonly #strings: readonly string[];
  readonly #parameters: readonly Parameter[];
  readonly #execute: Execute | undefined;
  #running: Promise<Rows<R>> | undefined;

  constructor(strings: readonly string[], parameters: readonly Parameter[], execute?: Execute) {
    this.#strings = strings;
    this.#parameters = parameters;
    this.#execute = execute;
  }

  // biome-ignore lint/suspicious/noThenProperty: awaiting a statement runs it
  then<A = Rows<R>, B = never>(
    onFulfilled?: ((rows: Rows<R>) => A | PromiseLike<A>) | null,
    onRejected?: ((reason: unknown) => B | PromiseLike<B>) | null,
  ): Promise<A | B> {
    return this.#run().then(onFulfilled, onRejected);
  }

  prepare(): Prepared {
    const values: unknown[] = [];
    return { text: this.#write(values), values };
  }

  #run(): Promise<Rows<R>> {
    if (!this.#execute) throw new Error('A fragment of SQL cannot be run by itself.');
    this.#running ??= this.#execute(this.prepare()) as Promise<unknown> as Promise<Rows<R>>;
    return this.#running;
  }

  #write(values: unknown[]): string {
    let text = this.#strings[0] ?? '';
    this.#parameters.forEach((parameter, index) => {
      text += parameter instanceof Statement ? parameter.#write(values) : `$${numberOf(parameter, values)}`;
      text += this.#strings[index + 1];
    });
    return text;
  }
}

/** A piece of SQL for use inside a statement. */
export type SqlFragment = Statement<readonly object[]>;

/** Quotes an identifier that is only known at run time. */
export function identifier(name: string): SqlFragment {
  return new Statement([`"${name.replaceAll('"', '""')}"`], []);
}

/** Adds a value and returns its parameter number. An array that is used twice, which may be long, is sent once. */
function numberOf(value: unknown, values: unknown[]): number {
  const known = Array.isArray(value) ? values.indexOf(value) : -1;
  return known === -1 ? values.push(checked(value)) : known + 1;
}

/** Throws for `undefined`, which is always a mistake: an absent value is null. */
function checked(value: unknown): unknown {
  if (value === undefined)
    throw new Error('A parameter of a statement is undefined; use null for an absent value.');
  return value;
}
