import { api } from '../api/client.ts';
import { ApiError } from '../api/error.ts';
import type { Answer, BegunUpload, IngestedUpload } from '../api/types.ts';

const TYPES = {
  pdf: 'application/pdf',
  epub: 'application/epub+zip',
} as const;

export function kindOfFile(file: File): keyof typeof TYPES | undefined {
  const extension = /\.(pdf|epub)$/i.exec(file.name)?.[1]?.toLowerCase();
  if (extension === 'pdf' || extension === 'epub') return extension;
  return (['pdf', 'epub'] as const).find((kind) => TYPES[kind] === file.type);
}

/** Uploads a file, and starts its processing. */
export async function uploadFile(file: File, onProgress: (share: number) => void): Promise<IngestedUpload> {
  const kind = kindOfFile(file);
  if (!kind) {
    throw new ApiError(
      400,
      'E_INVALID_FILE_TYPE',
      `"${file.name}" is not a PDF or EPUB file. Only these can be uploaded.`,
    );
  }
  const { data: begun } = await api.post<Answer<BegunUpload>>('/media/upload/init', {
    kind,
    filename: file.name,
    content_type: TYPES[kind],
    size_bytes: file.size,
  });
  await putFile(begun, file, onProgress);
  const { data } = await api.post<Answer<IngestedUpload>>(`/media/${begun.media_id}/ingest`);
  return data;
}

/** Sends the bytes with XMLHttpRequest, because fetch does not report upload progress. */
function putFile(
  { upload_url, upload_headers }: BegunUpload,
  file: File,
  onProgress: (share: number) => void,
) {
  return new Promise<void>((resolve, reject) => {
    const request = new XMLHttpRequest();
    request.open('PUT', upload_url);
    for (const [name, value] of Object.entries(upload_headers)) request.setRequestHeader(name, value);
    request.upload.onprogress = ({ loaded, total }) => onProgress(total > 0 ? loaded / total : 0);
    request.onload = () => {
      if (request.status < 300) return resolve();
      reject(uploadError(request));
    };
    request.onerror = () =>
      reject(new ApiError(0, 'E_OFFLINE', 'The upload was interrupted. Check your connection and retry.'));
    request.send(file);
  });
}

function uploadError(request: XMLHttpRequest): ApiError {
  try {
    const { error } = JSON.parse(request.responseText);
    return new ApiError(request.status, error.code, error.message, { requestId: error.request_id });
  } catch {
    return new ApiError(request.status, 'E_INTERNAL', 'The upload was rejected. Retry.');
  }
}
