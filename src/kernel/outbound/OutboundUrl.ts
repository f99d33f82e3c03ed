/**
 * Parses an untrusted string into a target. Strings are checked before parsing, because WHATWG parsing silently
 * repairs them (full-width digits, tabs, `0x7f.1`). The parsed host, port and path are then the only ones used.
 */
import { Option, Result } from "effect"
import { NetAddress } from "effect/net"
import type { RefusalReason } from "./OutboundError.ts"

export interface Target {
  readonly secure: boolean
  /** Scheme, host and port, from which clients derive `Host`. */
  readonly origin: string
  /** Lower-case name without trailing dot, or an address in canonical form without brackets. */
  readonly host: string
  /** Set when the host is an address. It still has to pass the address policy. */
  readonly literal: Option.Option<NetAddress.IpAddress>
  readonly port: number
  /** Path and query; a fragment is never sent. */
  readonly path: string
}

const maxLength = 2048

const forbiddenDomains = [
  "localhost",
  "localdomain",
  "local",
  "internal",
  "intranet",
  "lan",
  "home",
  "corp",
  "private",
  "home.arpa",
  "arpa",
  "test",
  "invalid",
  "example",
  "onion",
  "alt"
]

const isLabel = (label: string): boolean => label.length >= 1 && label.length <= 63

const isName = (host: string): boolean =>
  host.length <= 253 && /^[a-z0-9._-]+$/.test(host) && host.split(".").every(isLabel)

const isPublicName = (name: string): boolean =>
  name.includes(".") && !forbiddenDomains.some((domain) => name === domain || name.endsWith(`.${domain}`))

const refusalOf = (raw: string, allowPrivate: boolean): RefusalReason | undefined => {
  if (raw.length > maxLength) return "too_long"
  if (!/^[\x21-\x7e]+$/.test(raw) || raw.includes("\\")) return "malformed"
  if (!(allowPrivate ? /^https?:\/\// : /^https:\/\//).test(raw)) return "not_https"
  const authority = raw.slice(raw.indexOf("//") + 2).split(/[/?#]/, 1)[0] ?? ""
  if (authority === "") return "malformed"
  return authority.includes("@") ? "credentials" : undefined
}

// The parser writes an address in digits and dots, or in brackets, and no name looks like either. This test avoids
// creating an error for every name.
const literalOf = (hostname: string): Option.Option<NetAddress.IpAddress> =>
  /^\[|^[0-9.]+$/.test(hostname)
    ? Result.getSuccess(NetAddress.ipFromString(hostname.replace(/^\[|\]$/g, "")))
    : Option.none()

/** Whether browsers would write a URL in other characters, or its scheme in lower case. */
const isPlain = (raw: string): boolean => /^[a-z]+:[\x21-\x5b\x5d-\x7e]*$/.test(raw)

/**
 * The URL as browsers send it (WHATWG URL): encodes non-ASCII characters and blanks, and removes line breaks. Returns
 * other texts, and those that are no URL, as they came. Nothing is allowed by it: `parse` the result.
 *
 * @param base for a relative reference, such as that of a redirect
 */
export const encode = (raw: string, base?: string): string =>
  base === undefined && isPlain(raw) ? raw : (URL.parse(raw, base)?.href ?? raw)

/** Applies the string and name rules. `allowPrivate` (development) also admits http and any name, not any address. */
export const parse = (
  raw: string,
  options?: { readonly allowPrivate?: boolean }
): Result.Result<Target, RefusalReason> => {
  const allowPrivate = options?.allowPrivate ?? false
  const refusal = refusalOf(raw, allowPrivate)
  if (refusal !== undefined) return Result.fail(refusal)
  const url = URL.parse(raw)
  if (url === null) return Result.fail("malformed")
  const secure = url.protocol === "https:"
  const port = url.port === "" ? (secure ? 443 : 80) : Number(url.port)
  if (port === 0) return Result.fail("forbidden_port")
  const literal = literalOf(url.hostname)
  const host = Option.match(literal, {
    onNone: () => url.hostname.toLowerCase().replace(/\.$/, ""),
    onSome: NetAddress.formatIp
  })
  const isCallable = Option.isSome(literal) || (isName(host) && (allowPrivate || isPublicName(host)))
  if (!isCallable) return Result.fail("forbidden_host")
  const urlHost = Option.match(literal, { onNone: () => host, onSome: NetAddress.formatUrlHost })
  const origin = `${url.protocol}//${urlHost}:${port}`
  return Result.succeed({ secure, origin, host, literal, port, path: url.pathname + url.search })
}
