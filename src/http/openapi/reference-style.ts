/** The inline stylesheet of the reference page. The page's Content-Security-Policy allows it by its hash. */
export const REFERENCE_STYLE = `
:root {
  color-scheme: light dark;
  --ink: light-dark(#1d2129, #e6e8ec); --soft: light-dark(#5b6472, #9aa3b2); --line: light-dark(#e4e7ec, #2b303a);
  --paper: light-dark(#fff, #14171c); --side: light-dark(#f7f8fa, #191d23); --accent: light-dark(#3457d5, #8ea8ff);
  font: 16px/1.55 system-ui, sans-serif; color: var(--ink); background: var(--paper);
}
* { box-sizing: border-box; }
html { scroll-behavior: smooth; scroll-padding-top: 1.5rem; }
body { margin: 0; display: grid; grid-template-columns: 19rem minmax(0, 1fr); }
a { color: var(--accent); text-decoration: none; }
a:hover { text-decoration: underline; }
a:focus-visible { outline: 2px solid var(--accent); outline-offset: 2px; border-radius: 3px; }
code { font: 0.9em ui-monospace, SFMono-Regular, Menlo, monospace; }
nav { position: sticky; top: 0; height: 100vh; overflow-y: auto; padding: 1.5rem; background: var(--side); border-right: 1px solid var(--line); }
nav h1 { margin: 0; font-size: 1.25rem; }
nav h1 small { font-weight: 400; color: var(--soft); }
nav h2 { margin: 1.6rem 0 0.3rem; font-size: 0.78rem; letter-spacing: 0.06em; text-transform: uppercase; color: var(--soft); }
nav ul { margin: 0; padding: 0; list-style: none; }
nav li a { display: flex; gap: 0.5rem; align-items: baseline; padding: 0.2rem 0; color: var(--ink); font-size: 0.9rem; }
main { max-width: 60rem; padding: 2rem clamp(1rem, 4vw, 3.5rem) 6rem; }
.lead { color: var(--soft); max-width: 42rem; }
section > h2 { margin: 3rem 0 0; font-size: 1.5rem; }
article { padding: 1.5rem 0; border-bottom: 1px solid var(--line); }
article h3 { margin: 0; font-size: 1.05rem; font-weight: 500; display: flex; flex-wrap: wrap; gap: 0.6rem; align-items: center; }
article h3 a { color: inherit; }
article h4 { margin: 1.2rem 0 0.3rem; font-size: 0.85rem; color: var(--soft); font-weight: 600; }
.summary { margin: 0.3rem 0 0; }
b.get, b.post, b.patch, b.put, b.delete { min-width: 3.1rem; font: 600 0.72rem ui-monospace, monospace; text-transform: uppercase; color: var(--accent); }
b.post, b.put { color: light-dark(#1a7f4b, #5ccf93); }
b.patch { color: light-dark(#946200, #e0b25a); }
b.delete { color: light-dark(#c0362c, #ff8a80); }
.access { padding: 0.05rem 0.55rem; border: 1px solid var(--line); border-radius: 1rem; font-size: 0.75rem; color: var(--soft); }
.access.open { border-style: dashed; }
table { width: 100%; border-collapse: collapse; font-size: 0.9rem; }
th, td { padding: 0.4rem 0.8rem 0.4rem 0; text-align: left; vertical-align: top; border-top: 1px solid var(--line); font-weight: 400; }
th { width: 15rem; }
td.inner { padding: 0 0 0 1.2rem; border-top: 0; }
details { margin: 0.5rem 0 0; font-size: 0.9rem; }
summary { cursor: pointer; color: var(--soft); }
summary:focus-visible { outline: 2px solid var(--accent); outline-offset: 2px; border-radius: 3px; }
pre { margin: 0.4rem 0 0; padding: 0.8rem 1rem; overflow-x: auto; background: var(--side); border: 1px solid var(--line); border-radius: 0.5rem; font-size: 0.85rem; line-height: 1.45; }
i { font-style: normal; color: var(--soft); font-size: 0.85em; }
.failure { margin: 0.4rem 0 0; font-size: 0.85rem; color: var(--soft); }
h4 + .failure { margin-top: 1rem; }
@media (max-width: 52rem) {
  body { display: block; }
  nav { position: static; height: auto; border-right: 0; border-bottom: 1px solid var(--line); }
  th { width: 9rem; overflow-wrap: anywhere; }
}
@media print { nav { display: none; } body { display: block; } }
`;
