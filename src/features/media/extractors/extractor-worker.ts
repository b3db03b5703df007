import { serveTasks } from '../../../platform/processes/serve-tasks.ts';
import { canonicalText } from '../text/canonical-text.ts';
import { extractEpub } from './epub.ts';
import { extractPdf } from './pdf.ts';
import { imageThumbnails, pdfThumbnails } from './thumbnail.ts';
import { extractWebArticle } from './web-article.ts';
import { readPlayer, readTranscript } from './youtube.ts';

/** The tasks of an extraction process. */
export const extractionWork = {
  web_article: extractWebArticle,
  pdf: extractPdf,
  epub: extractEpub,
  youtube_player: readPlayer,
  youtube_transcript: readTranscript,
  image_thumbnails: imageThumbnails,
  pdf_thumbnails: pdfThumbnails,
  canonical_texts: (html: string[]) => html.map(canonicalText),
};

serveTasks(extractionWork);
