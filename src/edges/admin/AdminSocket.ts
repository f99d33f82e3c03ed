/** Where the running server takes commands: a unix socket in its data directory, for the directory's owner only. */
import * as path from "node:path"
import { Option } from "effect"

/** The path of the RPC endpoint on the socket. */
export const route = "/rpc"

/** Bytes; systems differ, none has room for fewer than 104 with the final zero. */
const longestPath = 100

/**
 * The shorter of its absolute path and its path from here; none when both are too long for a socket, or on Windows,
 * which has no sockets in directories.
 */
export const pathIn = (directory: string, from: string = process.cwd()): Option.Option<string> => {
  if (process.platform === "win32") return Option.none()
  const absolute = path.resolve(directory, "admin.sock")
  const relative = path.relative(from, absolute)
  const shorter = Buffer.byteLength(relative) < Buffer.byteLength(absolute) ? relative : absolute
  return Buffer.byteLength(shorter) <= longestPath ? Option.some(shorter) : Option.none()
}
