/** An amount in USD: all of its digits, at least cents. The amount stays a decimal text, so that nothing is rounded. */
import classes from "./Data.module.css"

/** @param amount a decimal text in USD, as in the API: `0.0012`, `-3`, `1250.5`. */
export const moneyText = (amount: string): string => {
  const [, sign = "", whole = "0", fraction = ""] = /^(-?)(\d+)(?:\.(\d+))?$/.exec(amount) ?? []
  const grouped = whole.replace(/\B(?=(\d{3})+$)/g, ",")
  return `${sign === "" ? "" : "−"}$${grouped}.${fraction.padEnd(2, "0")}`
}

/** `null`: not known (yet). */
export const Money = ({ amount }: { readonly amount: string | null }) => (
  <span className={classes["figure"]}>{amount === null ? "–" : moneyText(amount)}</span>
)
