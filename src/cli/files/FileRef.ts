/** A stored file as people name it: by its id, or by its URL. */
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
  /** `id` is `null` where the URL has none: it is not of a service like this. */
  | { readonly _tag: "Url"; readonly url: string; readonly id: FileId | null }

/** Of a URL, wherever the media are served. */
export const idIn = (url: string): FileId | null =>
  Option.getOrNull(decodeId(inPath.exec(httpUrl(url)?.pathname ?? "")?.[1]))

export const parse = (text: string): Option.Option<FileRef> => {
  if (httpUrl(text) !== null) return Option.some({ _tag: "Url", url: text, id: idIn(text) })
  return Option.map(decodeId(text), (id) => ({ _tag: "Id", id }))
}

/** Of an id, or of a URL that has one. */
export const parseId = (text: string): Option.Option<FileId> =>
  Option.flatMap(parse(text), ({ id }) => Option.fromNullOr(id))

export const expected = (): string =>
  "Expected a file's id, 24 letters, digits, hyphens or underscores, or its URL"
