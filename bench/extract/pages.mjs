// The pages of `npm run bench -- extract`.

const SENTENCES = [
  'The harbour was quiet when the first boat came in, and the men on the quay said nothing.',
  'Über den Feldern lag Nebel, doch in der Küche roch es schon nach Kaffee und warmem Brot.',
  'Поздно вечером в окне библиотеки всё ещё горел свет, и кто-то переворачивал страницы.',
  '清晨的市场很热闹，卖鱼的人大声叫卖，孩子们在摊位之间跑来跑去。',
  'في المساء جلس الجميع حول المائدة، وحكى الجد قصة قديمة عن البحر.',
];

/** Generates a realistic page of about 150 kB, with more around the article than in it. Each number gives another page. */
export function makePage(number) {
  const sentence = (index) => SENTENCES[(number + index) % SENTENCES.length];
  const times = (count, make) => Array.from({ length: count }, (_, index) => make(index)).join('\n');
  const link = (index) =>
    `<li class="menu-item menu-item-${index}"><a href="/section/${index}?ref=menu" title="Section ${index}"><span>Section ${index}</span></a></li>`;
  const paragraph = (index) =>
    `<p class="body" data-id="${index}">${sentence(index)} <a href="/topic/${index}">${sentence(index + 1)}</a> <em>${sentence(index + 2)}</em> ${sentence(index)} <strong>${index}</strong></p>`;
  const card = (index) =>
    `<div class="card"><a href="/posts/${index}"><img src="/thumbs/${index}.jpg" alt="" loading="lazy" width="200" height="120"><h3>${sentence(index)}</h3></a><span class="meta">${index} min · <time datetime="2024-01-01">then</time></span></div>`;
  const comment = (index) =>
    `<li class="comment" id="comment-${index}"><div class="author">Reader ${index}</div><div class="text"><p>${sentence(index)}</p></div><button class="reply">Reply</button></li>`;
  return `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Post ${number} | The Site</title>
<meta property="og:title" content="Post ${number}"><meta property="og:site_name" content="The Site"><meta name="author" content="A. Writer">
<style>${times(150, (index) => `.card-${index}{color:#${index};margin:${index}px}`)}</style>
<script>window.data = ${JSON.stringify(Array.from({ length: 300 }, (_, index) => ({ index, text: sentence(index) })))}</script></head>
<body class="single"><header><nav><ul>${times(80, link)}</ul></nav></header>
<div id="page"><main><article class="post"><h1>Post ${number}</h1><div class="share">${times(6, (index) => `<a href="#s${index}">Share</a>`)}</div>
${times(60, paragraph)}<figure><img src="/images/${number}.jpg" alt="A picture"><figcaption>${sentence(3)}</figcaption></figure>
<blockquote><p>${sentence(4)}</p></blockquote>${times(20, paragraph)}</article>
<section class="related">${times(40, card)}</section><section id="comments"><ol>${times(120, comment)}</ol></section></main>
<aside class="sidebar">${times(30, card)}</aside></div><footer><ul>${times(60, link)}</ul></footer></body></html>`;
}

/** About 20 kB of inline CSS, as many sites have it. */
const RULES = Array.from(
  { length: 200 },
  (_, index) =>
    `.grid-${index} > .title:hover, .card-${index} a[href^="/x"]{color:#123456;margin:${index}px auto;background:rgba(0,0,0,.5)}`,
).join('\n');
const ICON =
  '<svg class="icon" viewBox="0 0 24 24" aria-hidden="true"><path d="M12 2l3 7h7l-6 5 2 8-6-5-6 5z"/></svg>';

/** Kinds of pages that are slow for different parts of a DOM. */
export const KINDS = {
  plain: (page) => page,
  styled: (page) =>
    page
      .replaceAll('<span>', `${ICON}<span style="margin:0 4px">`)
      .replaceAll('<div class="card"', '<div style="display:flex;padding:8px" class="card"'),
  with_style_sheet: (page) => page.replace('</style>', `${RULES}</style>`),
};
