/** Refers to a stored file by its id or its URL. */
import { Option, Schema } from "effect"
import { FileId } from "#domain/Ids.ts"
import * as MediaUrl from "#src/features/media/MediaUrl.ts"

const decodeId = Schema.decodeUnknownOption(FileId)

const inPath = new RegExp(`/${MediaUrl.root}/([^/]+)(?:/|$)`)

const httpUrl = (text: string): URL | null => {
  const url = URL.parse(text)
  return url !== null && /^https?:$/.test(url.protocol) ? url : null
}

export type FileRef =
  | { readonly _tag: "Id"; readonly id: FileId }
  /** `id` is `null` for a URL of another service. */
  | { readonly _tag: "Url"; readonly url: string; readonly id: FileId | null }

/** The id in a URL of any media host. */
export const idIn = (url: string): FileId | null =>
  Option.getOrNull(decodeId(inPath.exec(httpUrl(url)?.pathname ?? "")?.[1]))

const decoded = (segment: string): string => {
  try {
    return decodeURIComponent(segment)
  } catch {
    return segment
  }
}

/** The name of a file, without the prefix that the server adds to names of uploads. It may be anything: make it safe before use. */
export const nameIn = (url: string): string => {
  const id = idIn(url)
  const name = decoded(httpUrl(url)?.pathname.split("/").at(-1) ?? "")
  const prefix = id === null ? "" : MediaUrl.prefixOf(id)
  return name.startsWith(prefix) ? name.slice(prefix.length) : name
}

export const parse = (text: string): Option.Option<FileRef> => {
  if (httpUrl(text) !== null) return Option.some({ _tag: "Url", url: text, id: idIn(text) })
  return Option.map(decodeId(text), (id) => ({ _tag: "Id", id }))
}

/** The id, also from a URL. */
export const parseId = (text: string): Option.Option<FileId> =>
  Option.flatMap(parse(text), ({ id }) => Option.fromNullOr(id))

export const expected = (): string =>
  "Expected a file's id, 24 letters, digits, hyphens or underscores, or its URL"
