/** Whether a file is a picture, sound, film, or something that is only downloaded. */

export type MediaKind = "image" | "audio" | "video" | "file"

/** Formats that browsers show; others of the same family are downloads. */
const shown = new Map<string, MediaKind>(
  Object.entries<MediaKind>({
    png: "image",
    jpg: "image",
    jpeg: "image",
    webp: "image",
    gif: "image",
    avif: "image",
    svg: "image",
    mp3: "audio",
    wav: "audio",
    ogg: "audio",
    opus: "audio",
    flac: "audio",
    m4a: "audio",
    mp4: "video",
    webm: "video",
    mov: "video"
  })
)

/** Files that a browser cannot show, so that a link to them is a file and not a page. */
const downloads = new Set([
  "glb",
  "gltf",
  "obj",
  "stl",
  "ply",
  "usdz",
  "fbx",
  "zip",
  "pdf",
  "csv",
  "safetensors",
  "npy",
  "tar",
  "mkv",
  "tiff"
])

/** @param contentType a media type, such as `image/png` or `model/gltf-binary`. */
export const ofType = (contentType: string): MediaKind => {
  const [family, subtype = ""] = contentType.toLowerCase().split(/[/;]/)
  if (family === "image") return subtype === "tiff" ? "file" : "image"
  return family === "audio" || family === "video" ? family : "file"
}

/** The media type of a `data:` URL; `null` for any other text. */
export const typeOfData = (url: string): string | null =>
  /^data:([\w.+-]+\/[\w.+-]+)[;,]/i.exec(url.slice(0, 200))?.[1] ?? null

const extensionOf = (url: string): string | null => {
  if (url.length > 4_096) return null
  const path = URL.parse(url)?.pathname ?? ""
  return /\.([a-z0-9]{2,12})$/i.exec(path)?.[1]?.toLowerCase() ?? null
}

/**
 * What a text that is the URL of a file leads to; `null` for other texts and for links to pages.
 * @param isDeclared whether the schema says that it is a file.
 */
export const ofUrl = (text: string, isDeclared: boolean): MediaKind | null => {
  const type = typeOfData(text)
  if (type !== null) return ofType(type)
  if (!/^https?:\/\/\S+$/i.test(text)) return null
  const extension = extensionOf(text)
  const kind = extension === null ? undefined : shown.get(extension)
  if (kind !== undefined) return kind
  if (extension !== null && downloads.has(extension)) return "file"
  return isDeclared ? "file" : null
}

/** What the file is called to people. */
export const nameOf = (kind: MediaKind, contentType: string | null): string => {
  if (kind === "image") return "Picture"
  if (kind === "audio") return "Sound"
  if (kind === "video") return "Film"
  return contentType?.startsWith("model/") === true ? "3-D model" : "File"
}

/** Whether the page's policy lets it show what is at the URL. @param origins of the server and its stored files. */
export const isAllowed = (url: string, origins: ReadonlyArray<string>): boolean => {
  if (/^(?:data|blob):/i.test(url)) return true
  const origin = URL.parse(url)?.origin
  return origin !== undefined && origins.includes(origin)
}

/** As `example.com`, for people. */
export const siteOf = (url: string): string => URL.parse(url)?.host ?? "another site"

/** The last part of the URL's path. */
export const fileName = (url: string, fallback: string): string => {
  if (url.startsWith("data:")) return fallback
  const last = URL.parse(url)?.pathname.split("/").at(-1) ?? ""
  try {
    return decodeURIComponent(last) || fallback
  } catch {
    return last || fallback
  }
}
