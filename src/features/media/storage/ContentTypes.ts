/** The content type of a file when the client names none: from the file name, or else from the first bytes. */
import * as path from "node:path"
import { Option } from "effect"
import * as Mime from "effect/http/Mime"
import * as SniffMedia from "../SniffMedia.ts"

/** Types that Effect's table lacks. */
const additional: ReadonlyMap<string, string> = new Map([
  [".flac", "audio/flac"],
  [".mkv", "video/x-matroska"],
  [".tar", "application/x-tar"]
])

/** @param head the file's first 256 bytes or more, or the whole file. */
export const of = (fileName: string, head: Uint8Array): string => {
  const extension = path.extname(fileName).toLowerCase()
  const known =
    additional.get(extension) ??
    (extension === "" ? undefined : Option.getOrUndefined(Mime.getType(extension)))
  return known ?? SniffMedia.fileType(head, null).contentType
}
