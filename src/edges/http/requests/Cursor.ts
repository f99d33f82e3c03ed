/** The `next` of a list (decisions): the key of a page's last item. Opaque, refused if altered, and no secret. */
import * as crypto from "node:crypto"
import { Result, Schema } from "effect"
import { invalid, issue, type Parsed } from "./Parsed.ts"

/** The page that the cursor leads to, and the item that it begins after. */
interface Continued<PageKey> {
  /** From 1. */
  readonly page: number
  readonly after: PageKey
}

export interface Cursor<PageKey> {
  readonly encode: (continued: Continued<PageKey>) => string
  readonly parse: (text: string) => Parsed<Continued<PageKey>>
}

const checkBytes = 6

const sealed = (text: string): string => {
  const bytes = Buffer.from(text)
  const check = crypto.hash("sha256", bytes, "buffer").subarray(0, checkBytes)
  return Buffer.concat([check, bytes]).toString("base64url")
}

const opened = (cursor: string): string | null => {
  const text = Buffer.from(cursor, "base64url").subarray(checkBytes).toString()
  return sealed(text) === cursor ? text : null
}

const damaged = invalid(issue(["cursor"], "cursor", "must be the next of an earlier page, as it was given"))

/** @param place the form of the key of an item. */
export const make = <PageKey>(place: Schema.Codec<PageKey, Schema.Json>): Cursor<PageKey> => {
  const page = Schema.Int.check(Schema.isGreaterThan(0))
  const json = Schema.fromJsonString(Schema.Struct({ page, after: place }))
  const encode = Schema.encodeSync(json)
  const decode = Schema.decodeUnknownResult(json)
  return {
    encode: (continued) => sealed(encode(continued)),
    parse: (cursor) => {
      const text = opened(cursor)
      return text === null ? damaged : Result.orElse(decode(text), () => damaged)
    }
  }
}
