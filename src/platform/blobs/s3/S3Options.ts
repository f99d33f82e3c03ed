/** `s3://bucket[?endpoint=…&region=…&prefix=…&publicEndpoint=…&forcePathStyle=true]`; other options are refused. */
import { Result } from "effect"
import * as BlobKey from "#streams/BlobKey.ts"

export interface S3Options {
  readonly bucket: string
  /** A server other than AWS. */
  readonly endpoint: string | null
  /** The address by which clients reach the same server, when it differs. */
  readonly publicEndpoint: string | null
  /** `null`: from the environment (`AWS_REGION`). */
  readonly region: string | null
  /** The beginning of all keys, without a trailing slash. Others may use the same bucket. */
  readonly prefix: string | null
  /** Whether the bucket is in the path of URLs instead of the host. */
  readonly forcePathStyle: boolean
}

/** The accepted addresses, for messages. */
export const expected =
  "s3://<bucket> with the options endpoint, publicEndpoint (http or https URLs), region, prefix and forcePathStyle " +
  "(true or false)"

const known = ["endpoint", "publicEndpoint", "region", "prefix", "forcePathStyle"]

const address = /^s3:\/\/([^/?#]*)\/?(?:\?([^#]*))?$/
const bucketName = /^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/
const regionName = /^[a-z0-9-]{1,64}$/
const longestPrefix = 256

/** Longer or other texts may be a misplaced secret, so messages do not repeat them. */
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

/** The fault in the options; `null` when there is none. */
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

/** Fails with a message that repeats no value, since a value may be a secret. */
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
