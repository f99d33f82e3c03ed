/**
 * The address of a bucket: `s3://bucket[?endpoint=…&region=…&prefix=…&publicEndpoint=…&forcePathStyle=true]`.
 * What is not known is refused: a misspelled option would silently not be in force.
 */
import { Result } from "effect"
import * as BlobKey from "#streams/BlobKey.ts"

export interface S3Options {
  readonly bucket: string
  /** A server other than AWS. */
  readonly endpoint: string | null
  /** Where clients reach the same server, when they do it by another address. */
  readonly publicEndpoint: string | null
  /** `null`: as the environment has it (`AWS_REGION`). */
  readonly region: string | null
  /** Begins all keys, without a slash at its end; others may use the same bucket. */
  readonly prefix: string | null
  /** Whether the bucket is in the path of URLs, and not in their host. */
  readonly forcePathStyle: boolean
}

/** What the address takes, for messages. */
export const expected =
  "s3://<bucket> with the options endpoint, publicEndpoint (http or https URLs), region, prefix and forcePathStyle " +
  "(true or false)"

const known = ["endpoint", "publicEndpoint", "region", "prefix", "forcePathStyle"]

const address = /^s3:\/\/([^/?#]*)\/?(?:\?([^#]*))?$/
const bucketName = /^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/
const regionName = /^[a-z0-9-]{1,64}$/
const longestPrefix = 256

/** Longer texts, and other ones, may be a secret in the wrong place. */
const repeatable = /^[A-Za-z][A-Za-z_-]{0,23}$/

const isEndpoint = (text: string): boolean => {
  const url = URL.parse(text)
  return (
    url !== null &&
    /^https?:$/.test(url.protocol) &&
    text === url.origin + (url.pathname === "/" ? "" : url.pathname) &&
    !text.endsWith("/")
  )
}

const isPrefix = (text: string): boolean => text.length <= longestPrefix && BlobKey.isBlobKey(text)

const unknownOption = (query: URLSearchParams): string | null => {
  const name = [...query.keys()].find((name) => !known.includes(name))
  if (name === undefined) return null
  return repeatable.test(name) ? `${name} is no option` : "an option is not known"
}

/** What is wrong with the options; `null` when nothing is. */
const faultIn = (query: URLSearchParams): string | null => {
  const wrong = (name: string, isRight: (value: string) => boolean): boolean => {
    const value = query.get(name)
    return value !== null && !isRight(value)
  }
  const twice = known.find((name) => query.getAll(name).length > 1)
  if (twice !== undefined) return `${twice} is there twice`
  if (wrong("endpoint", isEndpoint) || wrong("publicEndpoint", isEndpoint)) {
    const name = wrong("endpoint", isEndpoint) ? "endpoint" : "publicEndpoint"
    return `${name} is no http or https URL without trailing slash, query, fragment and credentials`
  }
  if (wrong("region", (text) => regionName.test(text))) return "region is no name of a region"
  if (wrong("prefix", isPrefix)) return "prefix is not segments of [A-Za-z0-9._-] joined by /"
  if (wrong("forcePathStyle", (text) => text === "true" || text === "false"))
    return "forcePathStyle is neither true nor false"
  return unknownOption(query)
}

/** Fails with what is wrong, in words that repeat no value: it may be a secret. */
export const parse = (text: string): Result.Result<S3Options, string> => {
  const match = address.exec(text)
  if (match === null) return Result.fail("the address has more than a bucket and options")
  const [, bucket = "", search = ""] = match
  if (bucket.includes("@")) {
    return Result.fail(
      "credentials are not part of the address: set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY"
    )
  }
  if (!bucketName.test(bucket)) return Result.fail("the bucket is not 3 to 63 characters of [a-z0-9.-]")
  const query = new URLSearchParams(search)
  const fault = faultIn(query)
  if (fault !== null) return Result.fail(fault)
  const endpoint = query.get("endpoint")
  const pathStyle = query.get("forcePathStyle")
  return Result.succeed({
    bucket,
    endpoint,
    publicEndpoint: query.get("publicEndpoint"),
    region: query.get("region"),
    prefix: query.get("prefix"),
    forcePathStyle: pathStyle === null ? endpoint !== null : pathStyle === "true"
  })
}
