/** Amounts in nano-USD, as events have them, and as decimal texts of USD. */

/** @param usd such as `-3.0012`. */
export const ofUsd = (usd: string): bigint => {
  const [, sign = "", whole = "0", fraction = ""] = /^(-?)(\d+)(?:\.(\d{1,9}))?$/.exec(usd) ?? []
  const nano = BigInt(whole) * 1_000_000_000n + BigInt(fraction.padEnd(9, "0"))
  return sign === "" ? nano : -nano
}
