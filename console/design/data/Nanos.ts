/** Amounts as whole nano-USD, so that sums are exact, and as the decimal texts in USD of the API. */

const digits = 9

/** @param amount such as `-3.0012`. Throws for anything else. */
export const nanosOf = (amount: string): bigint => {
  const [, sign = "", whole, fraction = ""] = /^(-?)(\d+)(?:\.(\d{1,9}))?$/.exec(amount) ?? []
  if (whole === undefined)
    throw new Error("Expected an amount in USD with at most nine digits after the point.")
  return BigInt(`${sign}${whole}${fraction.padEnd(digits, "0")}`)
}

export const amountOf = (nanos: bigint): string => {
  const text = String(nanos < 0n ? -nanos : nanos).padStart(digits + 1, "0")
  const fraction = text.slice(-digits).replace(/0+$/, "")
  return `${nanos < 0n ? "-" : ""}${text.slice(0, -digits)}${fraction === "" ? "" : `.${fraction}`}`
}
