import { assert, describe, it } from "@effect/vitest"
import { NetAddress } from "effect/net"
import * as fc from "fast-check"
import { isPublic } from "#src/kernel/outbound/AddressPolicy.ts"

const ipv4Blocks = [
  "0.0.0.0/8",
  "10.0.0.0/8",
  "100.64.0.0/10",
  "127.0.0.0/8",
  "168.63.129.16/32",
  "169.254.0.0/16",
  "172.16.0.0/12",
  "192.0.0.0/24",
  "192.0.2.0/24",
  "192.31.196.0/24",
  "192.52.193.0/24",
  "192.88.99.0/24",
  "192.168.0.0/16",
  "192.175.48.0/24",
  "198.18.0.0/15",
  "198.51.100.0/24",
  "203.0.113.0/24",
  "224.0.0.0/4",
  "240.0.0.0/4"
]
const ipv6Blocks = ["2001::/23", "2001:db8::/32", "3fff::/20", "2002::/16", "2620:4f:8000::/48"]

interface Range {
  readonly first: bigint
  readonly last: bigint
}

const ipv4Value = (text: string) => text.split(".").reduce((value, octet) => value * 256n + BigInt(octet), 0n)
const ipv4Text = (value: bigint) => [24n, 16n, 8n, 0n].map((shift) => (value >> shift) & 255n).join(".")
const ipv6Value = (text: string) =>
  text
    .replace("::", ":" + "0:".repeat(9 - text.split(":").filter((group) => group !== "").length - 1))
    .split(":")
    .filter((group) => group !== "")
    .slice(0, 8)
    .reduce((value, group) => value * 65_536n + BigInt(`0x${group}`), 0n)
const ipv6Text = (value: bigint) =>
  [112n, 96n, 80n, 64n, 48n, 32n, 16n, 0n].map((shift) => ((value >> shift) & 0xffffn).toString(16)).join(":")

const rangeOf = (block: string, width: bigint, valueOf: (text: string) => bigint): Range => {
  const [base = "", prefix = ""] = block.split("/")
  const first = valueOf(base)
  return { first, last: first + 2n ** (width - BigInt(prefix)) - 1n }
}
const ipv4Ranges = ipv4Blocks.map((block) => rangeOf(block, 32n, ipv4Value))
const ipv6Ranges = ipv6Blocks.map((block) => rangeOf(block, 128n, ipv6Value))
const globalRange = rangeOf("2000::/3", 128n, ipv6Value)

const inside = (value: bigint) => (range: Range) => range.first <= value && value <= range.last
const interfaceId = (value: bigint) => (value >> 32n) & 0xffff_ffffn
const expectIpv4 = (value: bigint) => !ipv4Ranges.some(inside(value))
const expectIpv6 = (value: bigint) =>
  inside(value)(globalRange) &&
  !ipv6Ranges.some(inside(value)) &&
  interfaceId(value) !== 0x0000_5efen &&
  interfaceId(value) !== 0x0200_5efen

const verdict = (text: string) => isPublic(NetAddress.ipFromStringUnsafe(text))
const around = (range: Range) => [range.first - 1n, range.first, range.last, range.last + 1n]

describe("AddressPolicy", () => {
  it.each(ipv4Blocks)("rejects %s from its first to its last address and no other", (block) => {
    for (const value of around(rangeOf(block, 32n, ipv4Value)).filter(
      (value) => value >= 0n && value < 2n ** 32n
    )) {
      assert.strictEqual(verdict(ipv4Text(value)), expectIpv4(value), ipv4Text(value))
    }
  })

  it.each(["2000::/3", ...ipv6Blocks])("is exact at both ends of %s", (block) => {
    for (const value of around(rangeOf(block, 128n, ipv6Value))) {
      assert.strictEqual(verdict(ipv6Text(value)), expectIpv6(value), ipv6Text(value))
    }
  })

  it("agrees with an independent calculation on any address", () => {
    fc.assert(
      fc.property(fc.bigInt(0n, 2n ** 32n - 1n), (value) => verdict(ipv4Text(value)) === expectIpv4(value)),
      { numRuns: 5_000 }
    )
    const nearGlobal = fc.bigInt(globalRange.first, globalRange.last)
    fc.assert(
      fc.property(
        fc.oneof(nearGlobal, fc.bigInt(0n, 2n ** 128n - 1n)),
        (value) => verdict(ipv6Text(value)) === expectIpv6(value)
      ),
      { numRuns: 5_000 }
    )
  })

  it("rejects every IPv6 form that embeds an IPv4 address", () => {
    const forms = [
      "::ffff:a.b.c.d",
      "::a.b.c.d",
      "::ffff:0:a.b.c.d",
      "64:ff9b::a.b.c.d",
      "64:ff9b:1::a.b.c.d",
      "2002:HI:LO::1",
      "2001:0:HI:LO::",
      "2001::HI:LO",
      "2606:4700::5efe:a.b.c.d",
      "2606:4700:0:0:0:5efe:HI:LO",
      "2606:4700:0:0:200:5efe:a.b.c.d",
      "fe80::5efe:a.b.c.d"
    ]
    fc.assert(
      fc.property(fc.constantFrom(...forms), fc.bigInt(0n, 2n ** 32n - 1n), (form, value) => {
        const text = form
          .replace("a.b.c.d", ipv4Text(value))
          .replace("HI", (value >> 16n).toString(16))
          .replace("LO", (value & 0xffffn).toString(16))
        return !verdict(text)
      }),
      { numRuns: 3_000 }
    )
  })

  it.each([
    "::",
    "::1",
    "fc00::1",
    "fd12:3456::1",
    "fe80::1",
    "fec0::1",
    "ff02::1",
    "100::1",
    "5f00::1",
    "4000::1"
  ])("rejects %s", (text) => assert.isFalse(verdict(text)))

  it.each([
    "1.1.1.1",
    "8.8.8.8",
    "9.255.255.255",
    "11.0.0.0",
    "93.184.216.34",
    "168.63.129.15",
    "168.63.129.17",
    "192.0.1.1",
    "223.255.255.255",
    "2001:200::1",
    "2001:4860:4860::8888",
    "2003::1",
    "2606:4700:4700::1111",
    "2606:4700::100:5efe:1:1",
    "2606:4700::5efe:0:1:1",
    "2a00:1450:4001:81b::200e"
  ])("allows %s", (text) => assert.isTrue(verdict(text)))
})
