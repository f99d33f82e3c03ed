/** What a file is declared as where nobody says: by its name, or else by how it begins. It is never trusted. */
import * as path from "node:path"
import * as SniffMedia from "../SniffMedia.ts"

const byExtension: Readonly<Record<string, string>> = {
  aac: "audio/aac",
  avif: "image/avif",
  bmp: "image/bmp",
  css: "text/css",
  csv: "text/csv",
  flac: "audio/flac",
  gif: "image/gif",
  glb: "model/gltf-binary",
  gz: "application/gzip",
  heic: "image/heic",
  htm: "text/html",
  html: "text/html",
  jpeg: "image/jpeg",
  jpg: "image/jpeg",
  js: "text/javascript",
  json: "application/json",
  m4a: "audio/mp4",
  md: "text/markdown",
  mkv: "video/x-matroska",
  mov: "video/quicktime",
  mp3: "audio/mpeg",
  mp4: "video/mp4",
  ogg: "audio/ogg",
  ogv: "video/ogg",
  pdf: "application/pdf",
  png: "image/png",
  svg: "image/svg+xml",
  tar: "application/x-tar",
  tif: "image/tiff",
  tiff: "image/tiff",
  txt: "text/plain",
  wav: "audio/wav",
  webm: "video/webm",
  webp: "image/webp",
  xml: "application/xml",
  zip: "application/zip"
}

/** @param head the file's first bytes, at least 256 of them where there are as many. */
export const of = (fileName: string, head: Uint8Array): string => {
  const extension = path.extname(fileName).slice(1).toLowerCase()
  const known = Object.hasOwn(byExtension, extension) ? byExtension[extension] : undefined
  return known ?? SniffMedia.fileType(head, null).contentType
}
