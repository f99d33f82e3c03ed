import { assert, describe, it } from "@effect/vitest"
import { Option, Result } from "effect"
import * as fc from "fast-check"
import { isPublic } from "#src/kernel/outbound/AddressPolicy.ts"
import type { RefusalReason } from "#src/kernel/outbound/OutboundError.ts"
import * as OutboundUrl from "#src/kernel/outbound/OutboundUrl.ts"

/** The guard's decision before any look-up: the first refusal, or the target. */
const judge = (raw: string): OutboundUrl.Target | RefusalReason =>
  Result.match(OutboundUrl.parse(raw), {
    onFailure: (reason) => reason,
    onSuccess: (target) =>
      Option.exists(target.literal, (address) => !isPublic(address)) ? "private_address" : target
  })

const fits = (length: number) => `https://example.com/${"a".repeat(length - "https://example.com/".length)}`
const label63 = "a".repeat(63)
const nameOf = (length: number) => "a.".repeat((length - 3) / 2) + "com"

const errorAnswers: ReadonlyArray<readonly [string, RefusalReason]> = [
  [fits(2049), "too_long"],
  ["", "malformed"],
  ["https://example.com/a b", "malformed"],
  ["https://example.com/\t", "malformed"],
  ["https://exam\nple.com/", "malformed"],
  [" https://example.com/", "malformed"],
  ["https://example.com/\u007f", "malformed"],
  ["https://example.com/é", "malformed"],
  ["https://①②⑦.⓪.⓪.①/", "malformed"],
  ["https://１２７.0.0.1/", "malformed"],
  ["https://127。0。0。1/", "malformed"],
  ["https:\\\\example.com/", "malformed"],
  ["https://example.com\\@evil.com/", "malformed"],
  ["https:///example.com", "malformed"],
  ["https://", "malformed"],
  ["https://?x", "malformed"],
  ["https://#x", "malformed"],
  ["https://example.com:65536/", "malformed"],
  ["https://example.com:x/", "malformed"],
  ["https://%zz/", "malformed"],
  ["https://[::1/", "malformed"],
  ["https://[fe80::1%25eth0]/", "malformed"],
  ["https://[fe80::1%eth0]/", "malformed"],
  ["https://256.1.1.1/", "malformed"],
  ["https://1.2.3.4.5/", "malformed"],
  ["https://a.0x/", "malformed"],
  ["http://example.com/", "not_https"],
  ["HTTPS://example.com/", "not_https"],
  ["https:/example.com/", "not_https"],
  ["https:example.com", "not_https"],
  ["//example.com/", "not_https"],
  ["ftp://example.com/", "not_https"],
  ["file:///etc/passwd", "not_https"],
  ["data:text/plain,x", "not_https"],
  ["javascript:alert(1)", "not_https"],
  ["https://user@example.com/", "credentials"],
  ["https://user:pass@example.com/", "credentials"],
  ["https://@example.com/", "credentials"],
  ["https://example.com:443@127.0.0.1/", "credentials"],
  ["https://example.com:0/", "forbidden_port"],
  ["https://example.com:000/", "forbidden_port"],
  ["https://localhost/", "forbidden_host"],
  ["https://LOCALHOST./", "forbidden_host"],
  ["https://loc%61lhost/", "forbidden_host"],
  ["https://a.localhost/", "forbidden_host"],
  ["https://intranet/", "forbidden_host"],
  ["https://com/", "forbidden_host"],
  ["https://com./", "forbidden_host"],
  ["https://metadata.google.internal/", "forbidden_host"],
  ["https://printer.local/", "forbidden_host"],
  ["https://a.localdomain/", "forbidden_host"],
  ["https://a.intranet/", "forbidden_host"],
  ["https://a.lan/", "forbidden_host"],
  ["https://a.home/", "forbidden_host"],
  ["https://a.corp/", "forbidden_host"],
  ["https://a.private/", "forbidden_host"],
  ["https://home.arpa/", "forbidden_host"],
  ["https://a.home.arpa/", "forbidden_host"],
  ["https://1.0.0.127.in-addr.arpa/", "forbidden_host"],
  ["https://a.test/", "forbidden_host"],
  ["https://a.invalid/", "forbidden_host"],
  ["https://a.example/", "forbidden_host"],
  ["https://a.onion/", "forbidden_host"],
  ["https://a.alt/", "forbidden_host"],
  ["https://a..com/", "forbidden_host"],
  ["https://.example.com/", "forbidden_host"],
  ["https://example.com../", "forbidden_host"],
  ["https://a!b.com/", "forbidden_host"],
  ["https://a*b.com/", "forbidden_host"],
  [`https://${label63}a.com/`, "forbidden_host"],
  [`https://${nameOf(255)}/`, "forbidden_host"],
  ["https://127.0.0.1/", "private_address"],
  ["https://127.0.0.1./", "private_address"],
  ["https://127.1/", "private_address"],
  ["https://0/", "private_address"],
  ["https://0x7f.1/", "private_address"],
  ["https://0177.0.0.1/", "private_address"],
  ["https://2130706433/", "private_address"],
  ["https://0x7f000001/", "private_address"],
  ["https://%31%32%37.0.0.1/", "private_address"],
  ["https://%E2%91%A0%E2%91%A1%E2%91%A6.0.0.1/", "private_address"],
  ["https://169.254.169.254/latest/meta-data/", "private_address"],
  ["https://168.63.129.16/", "private_address"],
  ["https://[::1]/", "private_address"],
  ["https://[::ffff:10.0.0.1]/", "private_address"],
  ["https://[::ffff:0a00:0001]/", "private_address"],
  ["https://[64:ff9b::7f00:1]/", "private_address"],
  ["https://[fd00::1]:8443/", "private_address"]
]

const admissions = [
  { raw: "https://example.com", host: "example.com", port: 443, path: "/" },
  { raw: "https://EXAMPLE.com./hook", host: "example.com", port: 443, path: "/hook" },
  { raw: "https://example.com:8443?x=1#part", host: "example.com", port: 8443, path: "/?x=1" },
  { raw: "https://example.com/@user/..//a?b=c@d", host: "example.com", port: 443, path: "//a?b=c@d" },
  { raw: "https://a_b-c.example.co.uk/", host: "a_b-c.example.co.uk", port: 443, path: "/" },
  { raw: "https://xn--bcher-kva.example.com/", host: "xn--bcher-kva.example.com", port: 443, path: "/" },
  { raw: "https://mylocalhost.com/", host: "mylocalhost.com", port: 443, path: "/" },
  { raw: "https://localhost.example.com/", host: "localhost.example.com", port: 443, path: "/" },
  { raw: "https://internal.io/", host: "internal.io", port: 443, path: "/" },
  { raw: "https://8.8.8.8/", host: "8.8.8.8", port: 443, path: "/" },
  { raw: "https://0x08080808/", host: "8.8.8.8", port: 443, path: "/" },
  { raw: "https://[2606:4700:4700:0::1111]:444/", host: "2606:4700:4700::1111", port: 444, path: "/" },
  { raw: `https://${label63}.com/`, host: `${label63}.com`, port: 443, path: "/" },
  { raw: `https://${nameOf(253)}/`, host: nameOf(253), port: 443, path: "/" },
  { raw: fits(2048), host: "example.com", port: 443, path: fits(2048).slice("https://example.com".length) }
]

const shown = (raw: string) => JSON.stringify(raw.length > 60 ? `${raw.slice(0, 60)}…(${raw.length})` : raw)

const originOf = (raw: string) => Result.map(OutboundUrl.parse(raw), ({ origin }) => origin)
const parseInDevelopment = (raw: string) => OutboundUrl.parse(raw, { allowPrivate: true })

describe("OutboundUrl", () => {
  it.each(errorAnswers.map(([raw, reason]) => ({ raw, reason, shown: shown(raw) })))(
    "rejects $shown as $reason",
    ({ raw, reason }) => assert.strictEqual(judge(raw), reason)
  )

  it.each(admissions.map((admission) => ({ ...admission, shown: shown(admission.raw) })))(
    "admits $shown",
    ({ raw, host, port, path }) => {
      const target = judge(raw)
      if (typeof target === "string") return assert.fail(`refused as ${target}`)
      assert.deepStrictEqual([target.host, target.port, target.path, target.secure], [host, port, path, true])
    }
  )

  it("returns the origin with the canonical host", () => {
    assert.deepStrictEqual(originOf("https://EXAMPLE.com./x"), Result.succeed("https://example.com:443"))
    assert.deepStrictEqual(originOf("https://[2606::0:1]:8/"), Result.succeed("https://[2606::1]:8"))
  })

  it("admits plain http and local names in development only", () => {
    assert.isTrue(Result.isSuccess(parseInDevelopment("http://localhost:3000/hook")))
    assert.isTrue(Result.isSuccess(parseInDevelopment("http://receiver:3000/hook")))
    assert.deepStrictEqual(parseInDevelopment("http://user@localhost/"), Result.fail("credentials"))
    assert.deepStrictEqual(parseInDevelopment("ftp://localhost/"), Result.fail("not_https"))
    assert.deepStrictEqual(parseInDevelopment("http://./"), Result.fail("forbidden_host"))
    assert.deepStrictEqual(parseInDevelopment(`http://${label63}a/`), Result.fail("forbidden_host"))
  })

  it.each([
    [
      "https://example.com/a b/ü?q=日本 x#€",
      "https://example.com/a%20b/%C3%BC?q=%E6%97%A5%E6%9C%AC%20x#%E2%82%AC"
    ],
    [" https://example.com/a\n", "https://example.com/a"],
    ["HTTPS://Bücher.example.com", "https://xn--bcher-kva.example.com/"],
    ["https:\\\\example.com\\a", "https://example.com/a"],
    ["https://example.com/a%20b?c=[d]|e", "https://example.com/a%20b?c=[d]|e"],
    ["https://EXAMPLE.com/..//a", "https://EXAMPLE.com/..//a"],
    ["no url", "no url"]
  ])("encodes %j as browsers do", (raw, encoded) => {
    assert.strictEqual(OutboundUrl.encode(raw), encoded)
  })

  it.each<readonly [string, RefusalReason]>([
    ["https://１２７.0.0.1/ü", "private_address"],
    ["https://①②⑦.⓪.⓪.①/", "private_address"],
    ["https://user@example.com/a b", "credentials"],
    ["https://ｌｏｃａｌｈｏｓｔ/", "forbidden_host"],
    ["ftp://example.com/a b", "not_https"]
  ])("rejects the encoded %j as %s", (raw, reason) => {
    assert.strictEqual(judge(OutboundUrl.encode(raw)), reason)
  })

  it("rejects every spelling of a private IPv4 address", () => {
    const octet = fc.integer({ min: 0, max: 255 })
    const address = fc.oneof(
      fc.tuple(fc.constantFrom(10, 127, 0), octet, octet, octet),
      fc.tuple(fc.constant(192), fc.constant(168), octet, octet),
      fc.tuple(fc.constant(169), fc.constant(254), octet, octet)
    )
    const radix = fc.constantFrom(
      (value: number) => String(value),
      (value: number) => `0x${value.toString(16)}`,
      (value: number) => `0${value.toString(8)}`
    )
    const spelling = fc
      .tuple(address, fc.integer({ min: 1, max: 4 }), radix, fc.constantFrom("", "."), fc.boolean())
      .map(([octets, parts, show, end, encode]) => {
        const tail = octets.slice(parts - 1).reduce((value, octet) => value * 256 + octet, 0)
        const host = [...octets.slice(0, parts - 1), tail].map(show).join(".")
        const written = encode ? host.replace(/[0-9]/g, (digit) => `%3${digit}`) : host
        return `https://${written}${end}/`
      })
    fc.assert(
      fc.property(spelling, (raw) => judge(raw) === "private_address"),
      { numRuns: 3_000 }
    )
  })

  it("classifies any string, and admits only addresses it connects to", () => {
    const authority = fc.string({ unit: fc.constantFrom(..."a1.-_:@[]%/?#\\x0"), maxLength: 24 })
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string({ unit: "binary" }),
          authority.map((text) => `https://${text}`)
        ),
        (raw) => {
          const target = judge(raw)
          if (typeof target === "string") return
          const url = new URL(`${target.origin}${target.path}`)
          assert.strictEqual(url.username + url.password + url.hash, "")
          assert.strictEqual(url.hostname, new URL(raw).hostname.replace(/\.$/, ""))
          assert.match(raw, /^https:\/\/[\x21-\x7e]+$/)
        }
      ),
      { numRuns: 5_000 }
    )
  })
})
