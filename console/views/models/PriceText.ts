/** Prices in words. */
import { moneyText } from "#console/design/data/Money.tsx"

const units: Readonly<Record<string, string>> = {
  request: "request",
  second: "second",
  gpu_second: "GPU second",
  image: "image",
  megapixel: "megapixel",
  "1k_characters": "1,000 characters",
  "1k_tokens": "1,000 tokens"
}

export interface Pricing {
  readonly unit: string
  /** Decimal text, USD. */
  readonly unitPrice: string
}

const unitText = (unit: string): string => units[unit] ?? unit.replaceAll("_", " ")

/** As "$0.001 per megapixel". */
export const of = ({ unit, unitPrice }: Pricing): string =>
  /[1-9]/.test(unitPrice) ? `${moneyText(unitPrice)} per ${unitText(unit)}` : "Free"
