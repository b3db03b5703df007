import type { RegisteredRoute } from './access.ts';

/** Returns a function that lists the methods of a path; none when no route has the path. */
export function allowedMethods(routes: RegisteredRoute[]): (path: string) => string[] {
  const patterns = new Map<string, { pattern: RegExp; methods: Set<string> }>();
  return (path) => {
    // Read at the first use, when all routes are registered.
    if (patterns.size === 0) {
      for (const { method, url } of routes) {
        const known = patterns.get(url) ?? { pattern: patternOf(url), methods: new Set() };
        patterns.set(url, known);
        known.methods.add(method);
      }
    }
    const found = [...patterns.values()].filter(({ pattern }) => pattern.test(path));
    return [...new Set(found.flatMap(({ methods }) => [...methods]))].sort();
  };
}

/** `/media/:id` matches one segment in place of `:id`, and `*` the rest. */
function patternOf(url: string): RegExp {
  const parts = url.split(/(:\w+|\*)/).map((part) => {
    if (part.startsWith(':')) return '[^/]+';
    return part === '*' ? '.*' : part.replace(/[.+?^$(){}|[\]\\]/g, '\\$&');
  });
  return new RegExp(`^${parts.join('')}$`);
}
