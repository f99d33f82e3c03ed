/** A body of `multipart/form-data` (RFC 7578) with one file, as OpenAI's audio endpoints take it. */
import * as crypto from "node:crypto"
import { isList, type Json, type JsonObject } from "#domain/CanonicalJson.ts"
import type { FileBytes } from "../ProviderFiles.ts"

export interface FormBody {
  readonly contentType: string
  readonly bytes: Uint8Array
}

/** Names and file names are quoted, so they have neither quotes nor line ends (RFC 7578, 4.2). */
const quoted = (text: string): string => `"${text.replace(/[\r\n"\\]/g, "_")}"`

const textOf = (value: Json): string => (typeof value === "string" ? value : JSON.stringify(value))

/** A list repeats its field, whose name ends in `[]`. */
const fieldsOf = (fields: JsonObject): ReadonlyArray<readonly [string, string]> =>
  Object.entries(fields).flatMap(([name, value]) => {
    if (value === null) return []
    return isList(value)
      ? value.map((item) => [`${name.replace(/\[\]$/, "")}[]`, textOf(item)] as const)
      : [[name, textOf(value)] as const]
  })

export const of = (fields: JsonObject, { bytes, contentType, fileName }: FileBytes): FormBody => {
  const boundary = `inferlog-${crypto.randomUUID()}`
  const texts = fieldsOf(fields).map(
    ([name, value]) =>
      `--${boundary}\r\ncontent-disposition: form-data; name=${quoted(name)}\r\n\r\n${value}\r\n`
  )
  const head =
    `--${boundary}\r\ncontent-disposition: form-data; name="file"; filename=${quoted(fileName)}\r\n` +
    `content-type: ${contentType.replace(/[\r\n]/g, "")}\r\n\r\n`
  const end = `\r\n--${boundary}--\r\n`
  return {
    contentType: `multipart/form-data; boundary=${boundary}`,
    bytes: Buffer.concat([Buffer.from(texts.join("") + head), bytes, Buffer.from(end)])
  }
}
