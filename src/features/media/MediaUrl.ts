/** URLs of stored media, `{MEDIA_URL}/media/{id}/{file name}`. The id is the only credential; the name only decorates. */
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

/** What stands before a client's name: as random as the first characters of the id, which it is. */
export const prefixOf = (id: string): string => `${id.slice(0, 8)}-`

/** Of what a client brings: its name is kept, with a random prefix (contract, "Uploads"). */
export const formatUpload = (mediaUrl: string, id: FileId, fileName: string): string =>
  format(mediaUrl, id, prefixOf(id) + fileName)

/** The id in one of our own media URLs, whatever its file name, query and fragment; `None` for every other text. */
export const parse = (mediaUrl: string, text: string): Option.Option<FileId> => {
  const url = URL.parse(text)
  if (url === null || url.username !== "" || url.password !== "") return Option.none()
  const address = url.origin + url.pathname
  const prefix = `${mediaUrl}/${root}/`
  if (!address.startsWith(prefix)) return Option.none()
  return decodeId(address.slice(prefix.length).split("/", 1)[0])
}
