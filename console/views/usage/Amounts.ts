/** Sums of amounts without rounding: decimal texts in USD as whole nano-USD. */

const digits = 9

export const nanosOf = (amount: string): bigint => {
  const [, sign = "", whole = "0", fraction = ""] = /^(-?)(\d+)(?:\.(\d{1,9}))?$/.exec(amount) ?? []
  return BigInt(`${sign}${whole}${fraction.padEnd(digits, "0")}`)
}

export const amountOf = (nanos: bigint): string => {
  const text = String(nanos < 0n ? -nanos : nanos).padStart(digits + 1, "0")
  const fraction = text.slice(-digits).replace(/0+$/, "")
  return `${nanos < 0n ? "-" : ""}${text.slice(0, -digits)}${fraction === "" ? "" : `.${fraction}`}`
}
