/** `<folder>`, `file:///<path>` or `s3://<bucket>/<prefix>?endpoint=…`, with the options of `BLOB_STORE`. */
import * as path from "node:path"
import * as url from "node:url"
import { Result } from "effect"
import * as S3Options from "#src/platform/blobs/s3/S3Options.ts"

export type TargetAddress =
  | { readonly _tag: "Folder"; readonly folder: string }
  | { readonly _tag: "S3"; readonly options: S3Options.S3Options }

export const expected =
  "a folder, or s3://<bucket>/<prefix> with the options endpoint, region and forcePathStyle"

const s3 = /^(s3:\/\/[^/?#]*)(?:\/([^?#]*))?(\?.*)?$/s

/** An address in the form of `BLOB_STORE`: its path is the option `prefix`. */
export const withPrefix = (text: string): Result.Result<string, string> => {
  const [, bucket = "", prefix = "", query = ""] = s3.exec(text) ?? []
  if (prefix === "") return Result.succeed(text)
  const options = new URLSearchParams(query)
  if (options.has("prefix")) return Result.fail("the prefix is there twice")
  options.set("prefix", prefix.replace(/\/$/, ""))
  return Result.succeed(`${bucket}?${options.toString()}`)
}

const folderOf = (text: string): Result.Result<string, string> => {
  if (!text.startsWith("file:")) return Result.succeed(path.resolve(text))
  try {
    return Result.succeed(url.fileURLToPath(text))
  } catch {
    return Result.fail("the file URL has no absolute path")
  }
}

/** Fails with a message that repeats no value, since a value may be a secret. */
export const parse = (text: string): Result.Result<TargetAddress, string> => {
  if (text.startsWith("s3:")) {
    return withPrefix(text).pipe(
      Result.flatMap(S3Options.parse),
      Result.map((options) => ({ _tag: "S3", options }))
    )
  }
  if (/^[a-z][a-z0-9+.-]+:\/\//i.test(text) && !text.startsWith("file:")) {
    return Result.fail(`expected ${expected}`)
  }
  if (text === "") return Result.fail(`expected ${expected}`)
  return Result.map(folderOf(text), (folder) => ({ _tag: "Folder", folder }))
}
