/** A day, which YAML writes without quotes, so that programs know it as a date. */
export class Day {
  readonly text: string;
  constructor(moment: string) {
    this.text = moment.slice(0, 10);
  }
}

type Value = string | boolean | readonly string[] | Day | null | undefined;

/** Writes YAML front matter. Fields without a value are left out. JSON strings are valid YAML. */
export function frontMatter(fields: Record<string, Value>): string {
  const lines = Object.entries(fields).flatMap(([name, value]) => {
    if (value == null || (Array.isArray(value) && value.length === 0)) return [];
    if (Array.isArray(value)) return [`${name}:\n`, ...value.map((one) => `  - ${JSON.stringify(one)}\n`)];
    return [`${name}: ${value instanceof Day ? value.text : JSON.stringify(value)}\n`];
  });
  return `---\n${lines.join('')}---\n\n`;
}
