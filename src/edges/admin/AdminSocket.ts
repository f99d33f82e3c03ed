/** The Unix socket in the data directory on which the running server accepts commands of the directory's owner. */
import * as path from "node:path"
import { Option } from "effect"

/** Bytes. Systems differ; the smallest limit is 104, including the final zero. */
const longestPath = 100

/** The shorter of the absolute and the relative path from `from`; none if both are too long, and on Windows. */
export const pathIn = (directory: string, from: string = process.cwd()): Option.Option<string> => {
  if (process.platform === "win32") return Option.none()
  const absolute = path.resolve(directory, "admin.sock")
  const relative = path.relative(from, absolute)
  const shorter = Buffer.byteLength(relative) < Buffer.byteLength(absolute) ? relative : absolute
  return Buffer.byteLength(shorter) <= longestPath ? Option.some(shorter) : Option.none()
}
