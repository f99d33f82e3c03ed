/** The entry `@inferlog/client/node`: the client, and files of Node's file system as inputs and uploads. */
import { openAsBlob } from "node:fs"
import { basename } from "node:path"
import { mediaTypeOf } from "./MediaTypes.ts"

export * from "../index.ts"
export { stream } from "./Stream.ts"

export interface FileOptions {
  /** Default: the last part of the path. */
  readonly name?: string
  /** Media type. Default: by the extension of the name. */
  readonly type?: string
}

/**
 * A file that is read only when it is sent, part by part, so that it may be larger than the memory. Reading fails if the file
 * changes meanwhile.
 */
export const file = async (path: string, options: FileOptions = {}): Promise<File> => {
  const name = options.name ?? basename(path)
  const type = options.type ?? mediaTypeOf(name)
  return new File([await openAsBlob(path)], name, { type })
}
