/** URLs of stored media, `{MEDIA_URL}/media/{id}/{file name}`. The id is the only credential; the name is free. */
import { Option, Schema } from "effect"
import * as crypto from "node:crypto"
import { FileId } from "#domain/Ids.ts"

const decodeId = Schema.decodeUnknownOption(FileId)

/** First path segment below `MEDIA_URL`. */
export const root = "media"

/** File name of every thumbnail. */
export const thumbnailName = "thumbnail.webp"

export const makeId = (): FileId => FileId.make(crypto.randomBytes(18).toString("base64url"))

export const format = (mediaUrl: string, id: FileId, fileName: string): string =>
  `${mediaUrl}/${root}/${id}/${encodeURIComponent(fileName)}`

/** Prefix of a client's name: the first characters of the id, and as random. */
export const prefixOf = (id: string): string => `${id.slice(0, 8)}-`

/** The name of an upload keeps the client's name, with a random prefix (contract, "Uploads"). */
export const formatUpload = (mediaUrl: string, id: FileId, fileName: string): string =>
  format(mediaUrl, id, prefixOf(id) + fileName)

/** The id in a media URL of ours, with any file name, query and fragment; `None` for other texts. */
export const parse = (mediaUrl: string, text: string): Option.Option<FileId> => {
  const url = URL.parse(text)
  if (url === null || url.username !== "" || url.password !== "") return Option.none()
  const address = url.origin + url.pathname
  const prefix = `${mediaUrl}/${root}/`
  if (!address.startsWith(prefix)) return Option.none()
  return decodeId(address.slice(prefix.length).split("/", 1)[0])
}
