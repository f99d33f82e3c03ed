/** Media types of the extensions that inputs of models have. */
const types: Readonly<Record<string, string>> = {
  aac: "audio/aac",
  avif: "image/avif",
  bmp: "image/bmp",
  csv: "text/csv",
  flac: "audio/flac",
  gif: "image/gif",
  glb: "model/gltf-binary",
  heic: "image/heic",
  html: "text/html",
  jpeg: "image/jpeg",
  jpg: "image/jpeg",
  json: "application/json",
  jsonl: "application/jsonl",
  m4a: "audio/mp4",
  md: "text/markdown",
  mkv: "video/x-matroska",
  mov: "video/quicktime",
  mp3: "audio/mpeg",
  mp4: "video/mp4",
  ogg: "audio/ogg",
  opus: "audio/ogg",
  pdf: "application/pdf",
  png: "image/png",
  svg: "image/svg+xml",
  tif: "image/tiff",
  tiff: "image/tiff",
  txt: "text/plain",
  wav: "audio/wav",
  weba: "audio/webm",
  webm: "video/webm",
  webp: "image/webp",
  zip: "application/zip"
}

/** `application/octet-stream` for others. */
export const mediaTypeOf = (name: string): string =>
  types[name.slice(name.lastIndexOf(".") + 1).toLowerCase()] ?? "application/octet-stream"
