export interface Essay {
  slug: string;
  title: string;
  author: string;
  site: string;
  published: string;
  lead: string;
}

/** Essays for screenshots, written for this project. */
export const ESSAYS: Essay[] = [
  {
    slug: 'moss',
    title: 'Moss remembers the winter',
    author: 'Hale Okafor',
    site: 'Field Notes',
    published: '2024-02-17',
    lead: 'How a plant without roots keeps a record of every frost it has lived through.',
  },
  {
    slug: 'night-trams',
    title: 'Night trams of the northern cities',
    author: 'Oona Salmi',
    site: 'Estuary Review',
    published: '2026-08-30',
    lead: 'Between one and four the network belongs to bakers, nurses and people who missed something.',
  },
  {
    slug: 'measure',
    title: 'On measure: why sixty-six characters',
    author: 'Jonas Frey',
    site: 'Plain Setting',
    published: '2026-01-09',
    lead: 'Line length is the first decision of a page and the last one anybody notices.',
  },
  {
    slug: 'tides',
    title: 'Tide tables and the art of being early',
    author: 'Ines Carvalho',
    site: 'Estuary Review',
    published: '2025-11-20',
    lead: 'Fishermen of the estuary keep two clocks, and neither of them is on the wall.',
  },
  {
    slug: 'queues',
    title: 'What a queue owes you when the power goes out',
    author: 'Tomasz Wilk',
    site: 'Durable',
    published: '2026-06-02',
    lead: 'Acknowledged means kept: leases, fencing tokens, and the one write that decides everything.',
  },
  {
    slug: 'slow-reading',
    title: 'The quiet case for reading slowly',
    author: 'Mara Lindqvist',
    site: 'The Long Page',
    published: '2026-03-14',
    lead: 'Speed is a measure of trains. A page has its own pace, and gives most to those who keep it.',
  },
];

const PARAGRAPHS = [
  'The room had been arranged for reading long before anybody thought of it as a library. A lamp stood where the light would fall over the left shoulder; the chair faced away from the door; and on the low table there was exactly enough space for one open book and one closed one.',
  'What struck visitors was not the silence, which one expects, but the patience of the place. Nothing in it hurried. Even the clock, which was wrong by a little more than an hour, seemed to have decided that accuracy was somebody else’s concern.',
  'I have come to think that attention is less like a beam than like a tide. It comes in when it is ready, covers what it covers, and goes out again, leaving the shore rearranged. You cannot aim it. You can only be there when it arrives, with the page open.',
  'There is a practical side to this, of course. People who read slowly remember the shape of an argument rather than its slogans. They notice when a sentence carries more than it can bear.',
  'And yet none of that is the reason. The reason is that a good page, read at its own pace, is one of the few places where another mind will wait for you.',
];

export function essayPage({ title, author, site, published, lead }: Essay): string {
  const text = PARAGRAPHS.map((paragraph) => `<p>${paragraph}</p>`);
  text.splice(2, 0, '<h2>A tide, not a beam</h2>');
  text.splice(5, 0, '<blockquote><p>A page has its own pace.</p></blockquote>');
  return `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>${title}</title>
<meta name="author" content="${author}"><meta name="description" content="${lead}">
<meta property="og:site_name" content="${site}"><meta property="article:published_time" content="${published}"></head>
<body><article><h1>${title}</h1><p>${lead}</p>${text.join('\n')}${text.join('\n')}</article></body></html>`;
}
